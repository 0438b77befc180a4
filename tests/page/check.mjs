// check.mjs FLANGE PACKAGES WORK PLUGINS - opens reports of the examples in headless Chromium and looks at
// them: no errors, a picture, motion, poses and numbers of points as the results hold them.
import { createRequire } from 'module';
import { execFileSync, spawn } from 'child_process';
import fs from 'fs';
import http from 'http';
import path from 'path';

const [tool, packages, work, plugins] = process.argv.slice(2).map((word) => path.resolve(word));
const root = path.resolve(new URL('../..', import.meta.url).pathname);
const { chromium } = createRequire(path.resolve(packages, 'node_modules', 'none'))('playwright-core');

let passed = 0, failed = 0, bent = 0;
function check(what, is, detail = '') {
  if (is) { passed++; return; }
  failed++;
  console.log(`FAIL: ${what} ${detail}`);
}

const flange = (...words) => execFileSync(tool, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

// Rows of a dataset, read by a program that is not ours.
function dump(file, dataset, row, width) {
  const text = execFileSync('h5dump', ['-m', '%.17g', '-y', '-d', dataset, '-s', `${row},0`, '-c', `1,${width}`, file], { encoding: 'utf8' });
  return text.slice(text.indexOf('DATA {') + 6).match(/-?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf)/gi).map(Number);
}

function rowsOf(file) {
  return Number(execFileSync('h5ls', [`${file}/time`], { encoding: 'utf8' }).match(/\{(\d+)/)[1]);
}

// Every report is opened in the same tab: a new one costs twice the time of the rest.
async function open(page, url, errors) {
  for (const kind of ['console', 'pageerror']) page.removeAllListeners(kind);
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => window.flange?.ready, null, { timeout: 20000 });
  return page;
}

// How many pixels differ from the most frequent colour, and a number that tells pictures apart.
const picture = () => {
  flange.space.dirty = true;
  flange.space.draw();
  const gl = flange.space.renderer.getContext(), { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
  const bytes = new Uint8Array(4 * w * h), seen = new Map();
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  let hash = 0;
  for (let k = 0; k < bytes.length; k += 4) {
    const pixel = (bytes[k] << 24) | (bytes[k + 1] << 16) | (bytes[k + 2] << 8) | bytes[k + 3];
    seen.set(pixel, (seen.get(pixel) ?? 0) + 1);
    hash = (Math.imul(hash, 31) + pixel) | 0;
  }
  return { drawn: 1 - Math.max(...seen.values()) / (w * h), colours: seen.size, hash };
};

async function checkPoses(name, page, file) {
  const { rows, frames, bodies } = await page.evaluate(() => ({
    rows: flange.shown.meta.rows, frames: flange.shown.scene.frames,
    bodies: flange.shown.scene.bodies.map((body, k) => [k, body.frame, body.name]).filter(([, frame]) => frame !== undefined),
  }));
  check(`${name}: all rows are there`, rows === rowsOf(file), `${rows}`);
  let worst = 0, drawn = 0;
  for (const row of [0, Math.floor(0.37 * rows), rows - 1]) {
    const held = dump(file, '/@view/poses', row, 7 * frames);
    const shown = await page.evaluate((at) => {
      const scrub = document.getElementById('scrub');
      flange.setTime(flange.shown.times[at]);
      const exact = flange.shown.scene.bodies.map((body) => flange.space.poseOf(body.name));
      scrub.value = String(flange.shown.times[at]);
      return { exact, places: flange.space.actor.bodies.map((body) => body.matrixWorld.elements.slice(12, 15)), time: flange.time };
    }, row);
    for (const [k, frame] of bodies) {
      for (let i = 0; i < 7; i++) worst = Math.max(worst, Math.abs(held[7 * frame + i] - shown.exact[k][i]));
      for (let i = 0; i < 3; i++) drawn = Math.max(drawn, Math.abs(held[7 * frame + i] - shown.places[k][i]));
    }
  }
  check(`${name}: poses are those of the results`, worst <= 1e-9, `${worst}`);
  check(`${name}: bodies are drawn where they are`, drawn <= 1e-9, `${drawn}`);
}

// Bones of bodies that bend are at the recorded frames of their stations; corners follow their bones.
async function checkBent(name, page, file) {
  const told = await page.evaluate(() => {
    const row = Math.floor(0.61 * flange.shown.meta.rows);
    flange.setTime(flange.shown.times[row]);
    const { actor } = flange.space;
    const skins = actor.skins.filter(Boolean).map((skin) => ({ name: skin.body.name, frame: skin.body.bend.frame,
      bones: skin.bones.map((bone) => bone.matrixWorld.elements.slice(12, 15)), own: actor.bodies.find((one) => one.name === skin.body.name).children.length,
      corners: skin.meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0) }));
    return { row, frames: actor.scene.frames, skins };
  });
  if (told.skins.length === 0) return 0;
  const held = dump(file, '/@view/poses', told.row, 7 * told.frames);
  for (const skin of told.skins) {
    const worst = Math.max(...skin.bones.map((at, k) => Math.max(...at.map((x, i) => Math.abs(x - held[7 * (skin.frame + k) + i])))));
    check(`${name}: ${skin.name} is drawn through its stations`, worst <= 1e-9 && skin.bones.length > 2 && skin.corners > 100 && skin.own === 0, `${worst} ${skin.corners}`);
  }
  return told.skins.length;
}

// The clamped boom is drawn as its elastic coordinates say, by the textbook's modes; its end is the tip.
async function checkCantilever(page) {
  const file = path.join(work, 'boom.h5'), report = path.join(work, 'boom.html'), errors = [];
  flange('run', 'examples/flexible-arm/cantilever.yaml', '-o', file);
  flange('report', file, '-o', report);
  await open(page, `file://${report}`, errors);
  const told = await page.evaluate(async () => {
    const row = 20, of = async (name, width) => (await flange.shown.named(name)).slice(row * width, (row + 1) * width);
    const waves = [1.8751040687119611, 4.6940911329741746];
    const mode = (b, x) => {
      const ratio = (Math.sinh(b) - Math.sin(b)) / (Math.cosh(b) + Math.cos(b));
      const f = (z) => Math.cosh(z) - Math.cos(z) - ratio * (Math.sinh(z) - Math.sin(z));
      return f(b * x) / f(b);
    };
    flange.setTime(flange.shown.times[row]);
    const e = await of('boom/boom/elastic.position', 4), tip = [...await of('boom/boom/tip.position', 3)];
    const { actor } = flange.space, skin = actor.skins.find(Boolean);
    const bones = () => skin.bones.map((bone) => bone.matrixWorld.elements.slice(12, 15));
    const worst = Math.max(...bones().map((at, k) => Math.abs(at[1] - e[0] * mode(waves[0], skin.stations[k].x / 6.85) - e[1] * mode(waves[1], skin.stations[k].x / 6.85))));
    const end = bones().pop(), mesh = skin.meshes[0], at = mesh.geometry.attributes.position;
    let ring = mesh.position.clone(), count = 0, drawn = mesh.position.clone();
    for (let k = 0; k < at.count; k++) {
      if (at.getX(k) < 6.8499) continue;
      mesh.getVertexPosition(k, drawn);
      ring.add(drawn);
      count++;
    }
    const select = document.getElementById('bending');
    select.value = '100';
    select.dispatchEvent(new Event('change'));
    const far = bones().pop();
    return { e: [...e], tip, end, worst, deflection: tip[1], times: far[1] / end[1], ring: ring.divideScalar(count).y, poses: flange.space.poseOf('boom/boom'), shown: !document.getElementById('bending-label').hidden };
  });
  check('the boom is bent as its elastic coordinates say', told.worst <= 1e-9 && Math.abs(told.deflection) > 1e-3, JSON.stringify(told));
  check('the end of the boom is its tip', Math.max(...told.tip.map((x, k) => Math.abs(x - told.end[k]))) <= 1e-9, JSON.stringify(told));
  check('corners at the end go with it', Math.abs(told.ring - told.deflection) < 1e-6, JSON.stringify(told));
  check('deflections can be exaggerated', told.shown && Math.abs(told.times - 100) < 1e-6, JSON.stringify(told));
  check('boom: no errors', errors.length === 0, errors.join('; '));
}

// Exaggerated, what hangs on a flexible arm stays on it.
async function checkExaggerated(page, file) {
  const report = path.join(work, 'exaggerated.html'), errors = [];
  flange('report', file, '-o', report);
  await open(page, `file://${report}`, errors);
  const told = await page.evaluate(() => {
    const { space } = flange, { actor } = space, one = actor.scene.interfaces[0];
    const apart = () => actor.point(one.a, one.at_a).distanceTo(actor.point(one.b, one.at_b));
    flange.setTime(1);
    const before = apart(), at = actor.point(one.b, one.at_b);
    space.exaggerateBy(50);
    space.show(1);
    return { before, after: apart(), moved: at.distanceTo(actor.point(one.b, one.at_b)) };
  });
  check('exaggerated: the hand stays on the arm', Math.abs(told.after - told.before) < 1e-9 && told.moved > 1e-4, JSON.stringify(told));
  check('exaggerated: no errors', errors.length === 0, errors.join('; '));
}

// Springs, gears and racks of interfaces are drawn as those of components are.
async function checkLinks(page) {
  const put = (name, text) => fs.writeFileSync(path.join(work, name), text);
  put('slide.yaml', 'flange-component: 1\nbodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3], shapes: [{kind: box, size: [0.2, 0.2, 0.2], collision: false}]}}\n'
    + 'joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}}\nports: {p: {body: a}}\n');
  put('wheel.yaml', 'flange-component: 1\nbodies: {w: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [0, 1, 0]}, b: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 0.5]}}\n'
    + 'joints: {axle: {kind: revolute, between: [world, w], at: [0, 1, 0]}}\nbushings: {rubber: {between: [w, b], at: [0, 1, 0.5], stiffness: [100, 100, 100], angular_stiffness: [10, 10, 10]}}\nports: {p: {body: w}}\n');
  put('links.yaml', 'flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.5, macro: 1/100}\nsubsystems:\n'
    + '  l: {model: slide.yaml, step: 1/1000}\n  r: {model: slide.yaml, step: 1/1000, at: [1, 0, 0]}\n  u: {model: wheel.yaml, step: 1/1000}\n  v: {model: wheel.yaml, step: 1/1000, at: [0.6, 0, 0]}\n'
    + 'interfaces:\n  coil: {between: [l/p, r/p], joint: prismatic, axis: [1, 0, 0], stiffness: 10}\n  twist: {between: [world, v/p], joint: revolute, stiffness: 5}\n'
    + '  mesh: {joint: gear, drive: [world, u/p], driven: [world, v/p], ratio: -2}\n  rack: {joint: rack, drive: [world, u/p], driven: [world, l/p], driven_axis: [1, 0, 0], radius: 0.2}\n'
    + 'record: [l/a.position]\n');
  for (const coupling of ['sequential', 'monolithic']) {
    const file = path.join(work, 'links.h5'), report = path.join(work, 'links.html'), errors = [];
    flange('run', path.join(work, 'links.yaml'), '--coupling', coupling, '-o', file);
    flange('report', file, '-o', report);
    await open(page, `file://${report}`, errors);
    const told = await page.evaluate(() => {
      const { links } = flange.space.actor, gears = links.filter((one) => one.gear);
      const mesh = gears.find((one) => one.gear.name === 'mesh'), rack = gears.find((one) => one.gear.name === 'rack');
      const visible = () => links.flatMap((one) => one.meshes ?? [one.group ?? one.mesh]).filter((one) => one.visible).length;
      const on = visible();
      document.querySelector('[data-layer="links"]').click();
      return { names: links.map((one) => one.spring?.name ?? one.gear.name), radii: mesh.radii, pinion: rack.radii[0], on, off: visible() };
    });
    check(`links, ${coupling}: coil, twist, rubber, gears`, ['coil', 'twist', 'u/rubber', 'v/rubber', 'mesh', 'rack'].every((one) => told.names.includes(one)), JSON.stringify(told));
    check(`links, ${coupling}: wheels meet`, Math.abs(told.radii[0] - 0.2) < 1e-6 && Math.abs(told.radii[1] - 0.4) < 1e-6 && Math.abs(told.pinion - 0.2) < 1e-9, JSON.stringify(told));
    check(`links, ${coupling}: they can be hidden`, told.on >= 7 && told.off === 0, JSON.stringify(told));
    check(`links, ${coupling}: no errors`, errors.length === 0, errors.join('; '));
  }
}

// The slider itself, as a user moves it.
async function checkScrub(name, page) {
  const told = await page.evaluate(() => {
    const scrub = document.getElementById('scrub'), middle = (flange.start + flange.end) / 2;
    scrub.value = String(middle);
    scrub.dispatchEvent(new Event('input'));
    return { time: flange.time, middle, clock: document.getElementById('clock').textContent };
  });
  check(`${name}: the slider sets the time`, Math.abs(told.time - told.middle) < 1e-6 && told.clock.startsWith(told.middle.toFixed(2).slice(0, 3)), JSON.stringify(told));
}

async function checkPlots(name, page) {
  const told = await page.evaluate(async () => {
    await flange.plots.makeAll();
    const signals = flange.shown.meta.signals.filter((one) => !one.name.startsWith('@')).map((one) => one.name);
    return { signals, rows: flange.shown.meta.rows,
      plots: flange.plots.list.map((plot) => ({ title: plot.definition.title, points: plot.points, drawn: plot.u?.data[0].length })) };
  });
  for (const signal of told.signals) {
    const own = told.plots.filter((plot) => plot.title.startsWith(signal));
    check(`${name}: ${signal} is plotted`, own.length > 0);
    check(`${name}: ${signal} has all points`, own.every((plot) => plot.points.every((count) => count === told.rows) && plot.drawn >= told.rows), JSON.stringify(own));
  }
  check(`${name}: energy is plotted`, told.plots.some((plot) => plot.title.startsWith('energy')));
}

async function checkMotion(name, page) {
  const before = await page.evaluate(picture);
  check(`${name}: the canvas is not blank`, before.drawn > 0.01 && before.colours > 20, JSON.stringify(before));
  const moves = await page.evaluate(async () => {
    flange.setTime(flange.start);
    flange.space.draw();
    const places = () => flange.shown.scene.bodies.map((body) => flange.space.poseOf(body.name));
    const first = places();
    document.getElementById('play').click();
    const until = performance.now() + 4000;
    while (flange.time - flange.start < 0.04 && performance.now() < until) await new Promise(requestAnimationFrame);
    const went = flange.time - flange.start;
    flange.pause();
    flange.setTime(flange.start + 0.35 * (flange.end - flange.start));
    const last = places();
    const moved = Math.max(...first.map((pose, k) => Math.hypot(...pose.map((value, i) => value - last[k][i]))));
    return { went, moved };
  });
  const after = await page.evaluate(picture);
  check(`${name}: play goes on`, moves.went > 0, JSON.stringify(moves));
  // what hardly moves need not change a pixel
  if (moves.moved > 0.02) check(`${name}: what moves is drawn elsewhere`, after.hash !== before.hash, JSON.stringify(moves));
}

async function checkReport(page, scenario, settings = []) {
  const name = scenario.replace(/^examples\//, '').replace(/\.yaml$/, ''), errors = [];
  const file = path.join(work, `${name.replace(/\//g, '-')}.h5`), report = file.replace('.h5', '.html');
  flange('run', scenario, '-o', file, ...settings.flatMap((one) => ['--set', one]));
  flange('report', file, '-o', report);
  await open(page, `file://${report}`, errors);
  await checkMotion(name, page);
  await checkPoses(name, page, file);
  bent += await checkBent(name, page, file);
  await checkScrub(name, page);
  await checkPlots(name, page);
  check(`${name}: no errors`, errors.length === 0, errors.join('; '));
  return { file, report };
}

async function checkCapture(page, made) {
  const exact = path.join(work, 'exact.h5'), report = path.join(work, 'both.html'), errors = [];
  check('the report of the capture is under 5 MB', fs.statSync(made.report).size < 5e6);
  flange('run', 'examples/capture/capture.yaml', '--coupling', 'monolithic', '-o', exact);
  flange('report', made.file, exact, '-o', report);
  await open(page, `file://${report}`, errors);
  const told = await page.evaluate(async () => {
    await flange.plots.makeAll();
    flange.setTime(3);
    const arrows = flange.space.contactCount, up = flange.space.arrows.pool.slice(0, arrows).every((arrow) => {
      const at = arrow.children[1].getWorldPosition(arrow.position.clone());
      return at.z >= arrow.position.z;
    });
    const titles = flange.plots.list.map((plot) => plot.definition.title);
    const choose = (id, value) => { document.getElementById(id).value = value; document.getElementById(id).dispatchEvent(new Event('change')); };
    choose('follow', 'hand/box');
    const off = () => flange.space.controls.target.toArray().map((x, k) => x - flange.space.poseOf('hand/box')[k]);
    const before = off();
    choose('shown', '1');
    const after = off(), alone = flange.space.ghost === null && document.getElementById('ghost').value === '-1';
    choose('shown', '0');
    choose('ghost', '1');
    return { followed: Math.max(...before.map(Math.abs), ...after.map(Math.abs)), alone, ghost: flange.ghost?.coupling, shown: flange.shown.coupling, arrows, up, titles,
      table: document.getElementById('figures').textContent };
  });
  check('the camera follows a body through all runs', told.followed < 1e-9, JSON.stringify(told));
  check('a run is no ghost of itself', told.alone, JSON.stringify(told));
  check('the monolithic run is the ghost', told.ghost === 'monolithic' && told.shown === 'sequential', JSON.stringify(told));
  check('four contacts push the box up', told.arrows === 4 && told.up, JSON.stringify(told));
  check('errors are plotted', told.titles.includes('error of hand/box/U.position'));
  check('contacts, rank and condition are plotted', ['what touches', 'wrist: rank', 'wrist: condition number'].every((one) => told.titles.includes(one)), told.titles.join());
  const compared = JSON.parse(flange('compare', 'examples/capture/capture.yaml', '--coupling', 'sequential', '--json'));
  const error = compared.runs[0].errors['hand/box/U.position'].max;
  check('the table has the figure of compare', told.table.includes(Number(error.toPrecision(3)).toExponential(2).slice(0, 4)), `${error} ${told.table}`);
  check('both: no errors', errors.length === 0, errors.join('; '));
}

// A mesh is drawn as its file has it, scaled; one that is not there does no harm.
async function checkMesh(page) {
  const errors = [];
  const put = (name, text) => fs.writeFileSync(path.join(work, name), text);
  put('wedge.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n');
  put('wedge.stl', 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n');
  put('mesh.yaml', 'flange-component: 1\nname: m\nbodies:\n'
    + '  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1], shapes: [{kind: mesh, mesh: wedge.obj, size: [1, 2, 3], collision: false}]}\n'
    + '  b: {mass: 1, inertia: [1, 1, 1], at: [2, 0, 1], shapes: [{kind: mesh, mesh: wedge.stl, size: [1, 1, 1], collision: false}]}\n'
    + '  c: {mass: 1, inertia: [1, 1, 1], at: [4, 0, 1]}\n'
    + '  d: {mass: 1, inertia: [1, 1, 1], at: [6, 0, 1], shapes: [{kind: points, points: {p: [0.5, 0, 0]}}]}\n');
  put('meshes.yaml', 'flange: 1\nname: </script><script>x\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/60}\nsubsystems: {m: {model: mesh.yaml, step: 1/60}}\nrecord: [m/a.position]\n');
  const file = path.join(work, 'meshes.h5'), report = path.join(work, 'meshes.html');
  flange('run', path.join(work, 'meshes.yaml'), '-o', file);
  flange('report', file, '-o', report);
  await open(page, `file://${report}`, errors);
  const told = await page.evaluate(() => ({ title: document.getElementById('name').textContent,
    meshes: ['m/a', 'm/b', 'm/c', 'm/d'].map((name) => {
      const body = flange.space.actor.bodies.find((one) => one.name === name), corners = [];
      body.traverse((one) => one.isMesh && corners.push(...one.geometry.attributes.position.array));
      return { count: corners.length, most: Math.max(...corners) };
    }) }));
  check('meshes: four triangles, scaled', told.meshes[0].count === 36 && Math.abs(told.meshes[0].most - 3) < 1e-6, JSON.stringify(told));
  check('meshes: STL', told.meshes[1].count === 9, JSON.stringify(told));
  check('meshes: a body without shapes is made up', told.meshes[2].count > 0, JSON.stringify(told));
  check('meshes: points alone do not make a body', told.meshes[3].count > told.meshes[2].count, JSON.stringify(told));
  check('names cannot break out of the page', told.title === '</script><script>x' && errors.length === 0, `${told.title} ${errors}`);
}

// Reports that are not as usual: one row, a run that diverged beside a whole one, no scene, names with
// quotes, nothing that moves, scenarios that have nothing in common.
async function checkOdd(page, capture) {
  const put = (name, text) => fs.writeFileSync(path.join(work, name), text);
  const run = (name, ...options) => {
    const file = path.join(work, `${name}.h5`);
    try { flange('run', path.join(work, `${name}.yaml`), '-o', file, ...options); } catch { /* it diverges */ }
    return file;
  };
  const scenario = (name, words, record) => put(`${name}.yaml`, `flange: 1\nname: ${words}\ntime: {end: 0.2, macro: 1/50}\nsubsystems: {"Größe 1": {model: ${name}-model.yaml, step: 1/50}}\nrecord: [${record}]\n`);
  scenario('one', 'one', '"Größe 1/a.position"');
  put('one-model.yaml', 'flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [1e150, 0, 0]}, b: {mass: 1, inertia: [1, 1, 1], at: [2, 0, 0]}}\nsprings: {k: {between: [a, b], stiffness: 1e300}}\n');
  scenario('quoted', '"Prüfstand \\"A\\" <i>&amp;"', '"Größe 1/Körper.position", "Größe 1/energy"');
  put('quoted-model.yaml', 'flange-component: 1\nbodies: {"Körper": {mass: 1, inertia: [1, 1, 1]}, "b\'x": {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\nsprings: {"Feder <1>": {between: ["Körper", "b\'x"], stiffness: 100}}\n');
  scenario('nobody', 'nobody', '"Größe 1/energy"');
  put('nobody-model.yaml', 'flange-component: 1\nbodies: {a: {fixed: true}}\n');
  const diverged = path.join(work, 'diverged.h5'), plain = path.join(work, 'plain.h5'), one = run('one'), quoted = run('quoted');
  try { flange('run', 'examples/capture/capture.yaml', '--coupling', 'hold', '-o', diverged); } catch { /* it diverges */ }
  flange('run', 'examples/capture/capture.yaml', '--signals-only', '-o', plain);
  const cases = { 'one row': [one], quoted: [quoted], nobody: [run('nobody')], 'no scene': [plain], diverged: [diverged, capture], mixed: [capture, quoted, one] };
  for (const [name, files] of Object.entries(cases)) {
    const report = path.join(work, 'odd.html'), errors = [];
    flange('report', ...files, '-o', report);
    await open(page, `file://${report}`, errors);
    const told = await page.evaluate(async () => {
      await flange.plots.makeAll();
      flange.setTime((flange.start + flange.end) / 2);
      const drawn = flange.plots.list.filter((plot) => plot.u), visible = (id) => document.getElementById(id).offsetParent !== null;
      return { status: document.getElementById('badges').textContent, title: document.getElementById('name').textContent, drawn: drawn.length, all: flange.plots.list.length,
        alike: new Set(drawn.map((plot) => `${plot.u.scales.x.min} ${plot.u.scales.x.max}`)).size, zoomed: visible('reset-zoom'), options: visible('options') };
    });
    check(`odd, ${name}: no errors`, errors.length === 0, errors.join('; '));
    check(`odd, ${name}: all plots show the same time`, told.alike === 1 && !told.zoomed && told.drawn === told.all, JSON.stringify(told));
    check(`odd, ${name}: there is a view if there is a scene`, told.options === (name !== 'no scene'), JSON.stringify(told));
    if (name === 'quoted') check('odd: names are as they were written', told.title === 'Prüfstand "A" <i>&amp;', told.title);
    if (name === 'diverged') check('odd: a run that diverged says so', told.status.startsWith('diverged'), told.status);
  }
}

async function checkCompare(page) {
  const report = path.join(work, 'compare.html'), errors = [];
  flange('compare', 'examples/wrist/wrist.yaml', '--coupling', 'sequential,parallel', '--macro', '1/60,1/120', '--report', report);
  await open(page, `file://${report}`, errors);
  const told = await page.evaluate(async () => {
    await flange.plots.makeAll();
    const line = document.querySelectorAll('[data-chart] path[stroke]'), key = document.querySelectorAll('#runs i');
    return { runs: flange.recordings.map((one) => one.label), colours: [key[2].style.borderTop, line[1].getAttribute('stroke')], charts: document.querySelectorAll('[data-chart]').length,
      lines: document.querySelectorAll('[data-chart] circle').length, reference: flange.reference.label,
      names: Object.keys(flange.comparison.runs[0].errors).length };
  });
  check('compare: four runs and the reference', told.runs.length === 5 && new Set(told.runs).size === 5, JSON.stringify(told));
  check('compare: a chart of each signal, a point of each run', told.charts === told.names && told.lines === 4 * told.names, JSON.stringify(told));
  check('compare: a coupling has one colour in plots and charts', told.colours[0].endsWith(told.colours[1]), JSON.stringify(told));
  check('compare: no errors', errors.length === 0, errors.join('; '));
}

function request(port, options) {
  return new Promise((resolve, reject) => {
    const asked = http.request({ host: '127.0.0.1', port, ...options }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(chunks), headers: answer.headers }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const servers = new Set(); // that are still there

async function serve(file) {
  const server = spawn(tool, ['view', file, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.add(server);
  let text = '';
  const told = await new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      text += chunk;
      try { resolve(JSON.parse(text)); } catch { /* there is more to come */ }
    });
    server.on('exit', () => reject(new Error(`view ended: ${text}`)));
  });
  return { server, port: told.port, address: told.address };
}

async function stop(server) {
  servers.delete(server);
  const ended = new Promise((resolve) => server.on('exit', (code) => resolve(code)));
  server.kill('SIGINT');
  return ended;
}

async function checkServer(page, file) {
  const { server, port, address } = await serve(file), errors = [];
  const own = { headers: { host: `127.0.0.1:${port}` } };
  const status = async (options) => (await request(port, { ...own, ...options })).status;
  check('view: the page', (await status({ path: '/' })) === 200);
  check('view: localhost is itself', (await status({ path: '/', headers: { host: `localhost:${port}` } })) === 200);
  check('view: another host is refused', (await status({ path: '/data.json', headers: { host: 'evil.example' } })) === 403);
  check('view: so is another port', (await status({ path: '/', headers: { host: '127.0.0.1:1' } })) === 403);
  check('view: and another origin', (await status({ path: '/data.json', headers: { ...own.headers, origin: 'http://evil.example' } })) === 403);
  for (const one of ['/etc/passwd', '/../../etc/passwd', '/%2e%2e/etc/passwd', '/page.html', '//etc/passwd']) {
    check(`view: there is no ${one}`, (await status({ path: one })) === 404);
  }
  check('view: nothing can be posted', (await status({ path: '/', method: 'POST' })) === 405);
  check('view: a bad piece', (await status({ path: '/piece?r=0&s=99999&first=0&count=1&every=1' })) === 404);
  check('view: a bad query', (await status({ path: '/piece?r=0&s=0&first=x&count=1&every=1' })) === 400);
  const piece = await request(port, { ...own, path: '/piece?r=0&kind=time&first=2&count=3&every=2' });
  check('view: rows of a piece', piece.body.length === 24);
  await open(page, address, errors);
  await checkMotion('view', page);
  await checkPlots('view', page);
  check('view: no errors', errors.length === 0, errors.join('; '));
  check('view: Ctrl-C ends it well', (await stop(server)) === 0);
}

// The shortest of three times that a page takes to open: other programs run on this machine, too.
async function openTimed(page, url, errors) {
  let least = Infinity;
  for (let k = 0; k < 3 && least >= 3; k++) {
    const start = performance.now();
    await open(page, url, errors);
    least = Math.min(least, (performance.now() - start) / 1000);
  }
  return least;
}

// Ten minutes at 60 Hz of a hundred bodies.
function writeCrowd(folder) {
  const bodies = Array.from({ length: 100 }, (_, k) => `  b${k}: {mass: 1, inertia: [0.1, 0.2, 0.3], `
    + `at: [${k % 10}, ${Math.floor(k / 10)}, 0], angular_velocity: [${0.01 * (k + 1)}, 0.3, 0.1], shapes: [{kind: box, size: [0.4, 0.3, 0.2], collision: false}]}`);
  fs.writeFileSync(path.join(folder, 'crowd-model.yaml'), `flange-component: 1\nname: crowd\nbodies:\n${bodies.join('\n')}\n`);
  fs.writeFileSync(path.join(folder, 'crowd.yaml'), 'flange: 1\nname: crowd\ngravity: [0, 0, 0]\ntime: {end: 600, macro: 1/60}\n'
    + 'subsystems:\n  crowd: {model: crowd-model.yaml, step: 1/60}\nrecord: [crowd/b7.position, crowd/b50.orientation, crowd/energy]\n');
  return path.join(folder, 'crowd.yaml');
}

// A report of it is thinned out, and says so.
async function checkLongReport(page, file) {
  const report = file.replace('.h5', '.html'), errors = [];
  flange('report', file, '-o', report);
  const seconds = await openTimed(page, `file://${report}`, errors);
  console.log(`report of it, ${(fs.statSync(report).size / 1e6).toFixed(0)} MB, opens in ${seconds.toFixed(2)} s`);
  check('its report opens in 3 s', seconds < 3, `${seconds}`);
  const told = await page.evaluate(() => {
    const every = flange.shown.poses.every, row = 100 * every;
    flange.setTime(flange.shown.times[row]);
    return { every, row, frame: flange.shown.scene.bodies.find((body) => body.name === 'crowd/b7').frame,
      pose: flange.space.poseOf('crowd/b7'), foot: document.getElementById('made').textContent };
  });
  const held = dump(file, '/@view/poses', told.row, 700).slice(7 * told.frame, 7 * told.frame + 7);
  check('its report: poses are those of the results', Math.max(...held.map((value, k) => Math.abs(value - told.pose[k]))) <= 1e-9);
  check('its report tells that poses are thinned out', told.every > 1 && told.foot.includes(`every ${told.every}th`), told.foot);
  check('its report: no errors', errors.length === 0, errors.join('; '));
}

async function checkLong(page) {
  const file = path.join(work, 'crowd.h5'), errors = [];
  flange('run', writeCrowd(work), '-o', file);
  const { server, address } = await serve(file);
  const seconds = await openTimed(page, address, errors);
  console.log(`view of ten minutes with 100 bodies opens in ${seconds.toFixed(2)} s`);
  check('a long recording opens in 3 s', seconds < 3, `${seconds}`);
  const told = await page.evaluate(async () => {
    flange.setTime(431.5);
    while (flange.space.waiting) await new Promise((next) => setTimeout(next, 20));
    flange.setTime(431.5);
    return { rows: flange.shown.meta.rows, pose: flange.space.poseOf('crowd/b7') };
  });
  const frame = await page.evaluate(() => flange.shown.scene.bodies.find((body) => body.name === 'crowd/b7').frame);
  const held = dump(file, '/@view/poses', 431.5 * 60, 700).slice(7 * frame, 7 * frame + 7);
  check('a long recording: far poses are those of the results', Math.max(...held.map((value, k) => Math.abs(value - told.pose[k]))) <= 1e-9, JSON.stringify([held, told.pose]));
  check('a long recording: no errors', errors.length === 0, errors.join('; '));
  await stop(server);
  await checkLongReport(page, file);
  fs.rmSync(file);
}

// Scenarios whose reports show no kind of thing that others do not; opened if FLANGE_PAGES is `all`.
const alike = /capture\/(hop|friction)|own-subsystem\/(bounce-)?twin|pendulum\/(simple|modelica)|ssrms\/poses|wall-push\/manoeuvre(1-.*-locked|2)/;
const all = process.env.FLANGE_PAGES === 'all';

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args });
try {
  const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
  const scenarios = fs.readdirSync(path.join(root, 'examples')).flatMap((folder) =>
    fs.readdirSync(path.join(root, 'examples', folder)).filter((file) => file.endsWith('.yaml')).map((file) => `examples/${folder}/${file}`))
    .filter((file) => /^flange: 1/m.test(fs.readFileSync(path.join(root, file), 'utf8')))
    .filter((file) => all || !alike.test(file));
  const made = {};
  for (const scenario of scenarios) {
    const plugin = /^ {2}(\w+):\n(?: {4}.*\n)*? {4}plugin: \.\/(\w+\.so)/m.exec(fs.readFileSync(path.join(root, scenario), 'utf8'));
    const settings = plugin ? [`subsystems.${plugin[1]}.plugin=${plugins}/${plugin[2]}`]
      : scenario.includes('four-bars') || scenario.includes('oscillator') ? ['time.end=1'] : [];
    made[scenario] = await checkReport(page, scenario, settings);
  }
  await checkCapture(page, made['examples/capture/capture.yaml']);
  check('flexible links of examples are drawn bent', bent >= (all ? 12 : 8), `${bent}`);
  await checkCantilever(page);
  await checkExaggerated(page, made['examples/flexible-arm/wrist.yaml'].file);
  await checkLinks(page);
  await checkMesh(page);
  await checkOdd(page, made['examples/capture/capture.yaml'].file);
  await checkCompare(page);
  await checkServer(page, made['examples/wrist/wrist.yaml'].file);
  await checkLong(page);
} finally {
  for (const server of servers) server.kill();
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
