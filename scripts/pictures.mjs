// pictures.mjs PACKAGES REPORTS OUTPUT - pictures of reports, taken in headless Chromium.
import { createRequire } from 'module';
import path from 'path';

const [packages, reports, output] = process.argv.slice(2).map((word) => path.resolve(word));
const { chromium } = createRequire(path.join(packages, 'node_modules', 'none'))('playwright-core');
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

// name of the picture, report, time [s], size, light or dark, what is taken, layers that are switched,
// how many times as large deflections are
const pictures = [
  ['view-capture', 'capture', 7.4, [1300, 740], 'light', 'page', ['ellipsoids']],
  ['view-compare', 'compare', 9, [1300, 860], 'dark', 'page', []],
  ['view-tower', 'tower', 1.2, [900, 560], 'light', '#stage', []],
  ['view-squeezer', 'squeezer', 0.02, [900, 560], 'dark', '#stage', []],
  ['view-bent', 'bent', 3.3, [620, 700], 'light', '#stage', [], 100],
  ['view-gears', 'gears', 0.05, [620, 700], 'dark', '#stage', []],
];

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
for (const [name, report, time, [width, height], colorScheme, what, layers, bending = 1] of pictures) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`file://${reports}/${report}.html`);
  await page.waitForFunction(() => window.flange?.ready);
  await page.evaluate(([at, on, times]) => {
    for (const layer of on) document.querySelector(`[data-layer="${layer}"]`).click();
    document.getElementById('bending').value = times;
    document.getElementById('bending').dispatchEvent(new Event('change'));
    flange.setTime(Math.min(at, flange.end));
  }, [time, layers, bending]);
  await page.waitForTimeout(800);
  const taken = { path: path.join(output, `${name}.png`) };
  await (what === 'page' ? page.screenshot(taken) : page.locator(what).screenshot(taken));
  await page.close();
}
await browser.close();
