// charts.js - the chart of errors over macro steps, as SVG.
import { curveStyle } from './colours.js';
import { short } from './plots.js';

const WIDTH = 560, HEIGHT = 250, LEFT = 62, RIGHT = 12, TOP = 10, BOTTOM = 40;

const element = (name, attributes, text) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

export const stepText = (step) => {
  const over = Math.round(1 / step);
  return over > 1 && over < 1e6 && Math.abs(over * step - 1) < 1e-9 ? `1/${over}` : short(step, 4);
};

// lines: [{label, points: [[macro, error], ..], colour}]
export function errorChart(lines, unit) {
  const points = lines.flatMap((line) => line.points).filter(([x, y]) => x > 0 && y > 0);
  const chart = element('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  if (points.length === 0) return chart;
  const log = Math.log10;
  let [x0, x1] = [Math.min(...points.map((p) => log(p[0]))), Math.max(...points.map((p) => log(p[0])))];
  let [y0, y1] = [Math.floor(Math.min(...points.map((p) => log(p[1])))), Math.ceil(Math.max(...points.map((p) => log(p[1]))))];
  if (x1 - x0 < 0.1) { x0 -= 0.2; x1 += 0.2; }
  if (y1 === y0) y1++;
  const x = (v) => LEFT + 14 + ((log(v) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT - 28);
  const y = (v) => HEIGHT - BOTTOM - ((log(v) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
  const every = Math.ceil((y1 - y0) / 7);
  for (let power = y0; power <= y1; power += every) {
    const at = y(10 ** power);
    chart.append(element('path', { class: 'grid', d: `M${LEFT} ${at}H${WIDTH - RIGHT}` }));
    chart.append(element('text', { x: LEFT - 8, y: at + 4, 'text-anchor': 'end' }, `1e${power}`));
  }
  for (const macro of new Set(points.map((p) => p[0]))) {
    chart.append(element('path', { class: 'grid', d: `M${x(macro)} ${TOP}V${HEIGHT - BOTTOM}` }));
    chart.append(element('text', { x: x(macro), y: HEIGHT - BOTTOM + 15, 'text-anchor': 'middle' }, stepText(macro)));
  }
  chart.append(element('path', { class: 'axis', d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }));
  chart.append(element('text', { x: (LEFT + WIDTH) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, 'macro step [s]'));
  chart.append(element('text', { x: 12, y: HEIGHT / 2 - 10, 'text-anchor': 'middle', transform: `rotate(-90 12 ${HEIGHT / 2 - 10})` },
    `largest error${unit ? ` [${unit}]` : ''}`));
  for (const line of lines) {
    const own = line.points.filter(([a, b]) => a > 0 && b > 0).sort((p, q) => p[0] - q[0]);
    if (own.length === 0) continue;
    chart.append(element('path', { d: own.map(([a, b], k) => `${k ? 'L' : 'M'}${x(a)} ${y(b)}`).join(''), fill: 'none', stroke: curveStyle(line.colour), 'stroke-width': 1.8 }));
    for (const [a, b] of own) chart.append(element('circle', { cx: x(a), cy: y(b), r: 3.4, fill: curveStyle(line.colour) }));
  }
  return chart;
}

export function chartLegend(lines) {
  const legend = document.createElement('p');
  legend.className = 'note';
  for (const line of lines) {
    const mark = document.createElement('i');
    mark.style.cssText = `display:inline-block;width:14px;height:3px;border-radius:2px;margin:0 5px 3px 0;background:${curveStyle(line.colour)}`;
    const word = document.createElement('span');
    word.style.marginRight = '14px';
    word.append(mark, line.label);
    legend.append(word);
  }
  return legend;
}
