// build.cjs SOURCE FOLDER OUTPUT - bundles the page into one HTML file, and that into a C source.
const fs = require('fs');
const path = require('path');
const [source, folder, output] = process.argv.slice(2);
const esbuild = require(path.join(folder, 'node_modules', 'esbuild'));

function bundle(entry, loader) {
  const built = esbuild.buildSync({
    entryPoints: [path.join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: loader === 'css' ? undefined : 'iife',
    target: ['es2020', 'chrome100', 'firefox100', 'safari15'],
    nodePaths: [path.join(folder, 'node_modules')],
    legalComments: 'none',
    logLevel: 'error',
  });
  return built.outputFiles[0].text;
}

// what the licences of the packages ask for
function notices() {
  return ['three', 'uplot'].map((name) => {
    const licence = path.join(folder, 'node_modules', name, 'LICENSE');
    return `${name}\n\n${fs.readFileSync(licence, 'utf8').trim()}`;
  }).join('\n\n');
}

function asPage() {
  const fill = (text, place, value) => text.split(place).join(value);
  let html = fs.readFileSync(path.join(source, 'index.html'), 'utf8');
  html = fill(html, '/*flange:style*/', bundle('style.css', 'css'));
  html = fill(html, '/*flange:licences*/', notices().replace(/</g, '&lt;').replace(/--/g, '- -'));
  return fill(html, '/*flange:script*/', bundle('main.js').replace(/<\/script/g, '<\\/script'));
}

function asSource(bytes) {
  const lines = ['#include "cli/page.h"', '', 'static const unsigned char bytes[] = {'];
  for (let k = 0; k < bytes.length; k += 64) {
    lines.push(Array.from(bytes.subarray(k, k + 64)).join(',') + ',');
  }
  lines.push('0};', '', 'const flg_page flg_tool_page = {(const char *)bytes, sizeof bytes - 1};', '');
  return lines.join('\n');
}

const html = asPage();
fs.writeFileSync(path.join(output, 'page.html'), html);
fs.writeFileSync(path.join(output, 'page.c'), asSource(Buffer.from(html, 'utf8')));
