// plots.js - signals over time (uPlot): one cursor, one zoom and one time for all of them.
import uPlot from 'uplot';
import { curve, curveStyle, ofRun, token } from './colours.js';

const HEIGHT = 168, BAND_ROW = 18, SERIES_MOST = 24;

// Units of components, where the signal itself has none because they differ.
const componentUnits = { fx: 'N', fy: 'N', fz: 'N', mx: 'N m', my: 'N m', mz: 'N m', distance: 'm', angle: 'rad', slide: 'm' };

export const unitOf = (signal, k) => signal.unit || componentUnits[signal.components?.[k]] || '';

export function column(values, width, k) {
  if (width === 1) return values;
  const out = new Float64Array(values.length / width);
  for (let i = 0, j = k; i < out.length; i++, j += width) out[i] = values[j];
  return out;
}

export function short(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return Number(value.toPrecision(Math.max(1, digits - 1))).toExponential().replace('+', '');
  return Number(value.toPrecision(digits)).toString();
}

function finiteRange(list) {
  let low = Infinity, high = -Infinity;
  for (const values of list) {
    for (const value of values) {
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

// A run that diverged must not flatten the others: the scale is that of the runs that did not.
function rangeOf(series) {
  const sound = finiteRange(series.filter((one) => !one.wild).map((one) => one.values));
  const [low, high] = sound ?? finiteRange(series.map((one) => one.values)) ?? [0, 1];
  // what differs by rounding alone is a constant
  const size = Math.max(Math.abs(low), Math.abs(high)), span = high - low;
  const margin = span > 1e-12 * size ? 0.06 * span : 0.1 * size || 1;
  return [low - margin, high + margin];
}

// Powers of ten, a handful of them; what is far below the largest is rounding.
const LOG_SPAN = 1e9;

function logRange(series) {
  const sound = series.filter((one) => !one.wild);
  const range = finiteRange((sound.length > 0 ? sound : series).map((one) => one.values.filter((v) => v > 0)));
  if (!range) return [0.1, 1];
  const high = 10 ** Math.ceil(Math.log10(range[1]) + 0.05);
  return [Math.max(10 ** Math.floor(Math.log10(range[0])), high / LOG_SPAN), high];
}

function powers(low, high) {
  const from = Math.ceil(Math.log10(low) - 1e-6), to = Math.floor(Math.log10(high) + 1e-6);
  const every = Math.max(1, Math.ceil((to - from) / 5)), out = [];
  for (let k = from; k <= to; k += every) out.push(Number(`1e${k}`));
  return out;
}

// A line needs two points.
function isSparse(values) {
  let count = 0;
  for (let k = 0; k < values.length && count < 2; k++) count += Number.isFinite(values[k]) ? 1 : 0;
  return count === 1;
}

// Runs without rows, or without times in common.
function sayEmpty(box) {
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = 'no values';
  box.append(note);
}

export class Plots {
  constructor(root, onTime) {
    this.root = root;
    this.onTime = onTime;
    this.list = [];
    this.time = 0;
    this.hidden = new Set(); // runs that are not drawn
    this.sync = uPlot.sync('time');
    this.observer = new IntersectionObserver((entries) => {
      for (const { target: { plot }, isIntersecting } of entries) {
        plot.visible = isIntersecting;
        if (isIntersecting) this.make(plot).then(() => this.tell(plot));
      }
    }, { rootMargin: '300px' });
    new ResizeObserver(() => this.resize()).observe(root);
  }

  heading(text) {
    const element = document.createElement('h2');
    element.textContent = text;
    this.root.append(element);
  }

  // definition: {title, unit, note, log, height, load: async () => [{label, times, values, ..}]}
  add(definition) {
    const box = document.createElement('div'), title = document.createElement('h3');
    box.className = 'plot';
    box.style.minHeight = `${(definition.height ?? HEIGHT) + 60}px`;
    title.textContent = definition.title;
    if (definition.unit) {
      const unit = document.createElement('small');
      unit.textContent = ` [${definition.unit}]`;
      title.append(unit);
    }
    box.append(title);
    if (definition.note) {
      const note = document.createElement('p');
      note.className = 'note';
      note.textContent = definition.note;
      box.append(note);
    }
    this.root.append(box);
    const plot = { definition, box };
    box.plot = plot;
    this.list.push(plot);
    this.observer.observe(box);
    return plot;
  }

  async make(plot) {
    if (!plot.making) {
      plot.making = (async () => {
        const series = await plot.definition.load();
        plot.box.style.minHeight = '';
        if (series.every((one) => one.times.length === 0)) { sayEmpty(plot.box); return; }
        this.draw(plot, series.slice(0, plot.definition.band ? Infinity : SERIES_MOST));
      })();
    }
    return plot.making;
  }

  makeAll() {
    return Promise.all(this.list.map((plot) => this.make(plot)));
  }

  draw(plot, series) {
    const { definition, box } = plot;
    const times = [...new Set(series.map((one) => one.times))];
    const tables = times.map((time) => [time, ...series.filter((one) => one.times === time).map((one) => one.values)]);
    const ordered = times.flatMap((time) => series.filter((one) => one.times === time));
    const data = tables.length === 1 ? tables[0] : uPlot.join(tables);
    plot.series = ordered;
    plot.points = ordered.map((one) => one.values.length);
    const range = definition.range ?? (definition.log ? logRange(series) : rangeOf(series));
    const axis = { stroke: () => token('--soft'), grid: { stroke: () => token('--grid'), width: 1 },
      ticks: { stroke: () => token('--grid'), width: 1, size: 4 }, font: '11px system-ui, sans-serif' };
    const options = {
      width: this.width(), height: definition.height ?? HEIGHT,
      cursor: { sync: { key: 'time', setSeries: false }, drag: { x: true, y: false }, focus: { prox: -1 },
        points: { size: 6 } },
      padding: [8, 14, 0, 0], pxAlign: 0,
      legend: { show: !definition.band && !definition.keyed, live: true,
        markers: { stroke: (u, k) => (k > 0 ? curveStyle(ordered[k - 1].colour ?? k - 1) : '') } },
      scales: {
        x: { time: false, auto: false, ...this.shownRange() },
        y: { distr: definition.log ? 3 : 1, range: () => range },
      },
      axes: [{ ...axis, size: 26, gap: 3, values: (u, splits) => splits.map((v) => short(v, 6)) },
        { ...axis, size: 62, gap: 4,
          ...(definition.log ? { splits: () => powers(...range), filter: (u, splits) => splits, values: (u, splits) => splits.map((v) => v.toExponential(0).replace('+', '')) }
            : { values: (u, splits) => splits.map((v) => (definition.band ? '' : short(v, 5))) }) }],
      series: [{ label: 'time', value: (u, v) => (v === null || v === undefined ? '–' : `${short(v, 6)} s`) },
        ...ordered.map((one, k) => ({
          label: one.label, stroke: () => ofRun(one.colour ?? k), width: one.thick ? 2.4 : 1.6, pxAlign: 0,
          dash: one.dashes ?? (one.dash ? [6, 4] : undefined), spanGaps: true, points: { show: isSparse(one.values) },
          value: (u, v) => short(v), show: !definition.band && !this.hidden.has(one.run),
        }))],
      hooks: {
        setScale: [(u, key) => key === 'x' && this.zoom(u)],
        draw: definition.band ? [(u) => definition.band(u, series)] : [],
        ready: [(u) => this.listen(u)],
        setSize: [(u) => this.placeNow(plot, u)],
      },
    };
    if (definition.log) data.forEach((values, k) => { if (k > 0) data[k] = Array.from(values, (v) => (v > 0 ? v : null)); });
    plot.u = new uPlot(options, data, box);
    plot.now = document.createElement('div');
    plot.now.className = 'now';
    plot.u.over.append(plot.now);
    this.placeNow(plot, plot.u);
  }

  // draws a run in all plots, or in none
  toggle(run) {
    if (!this.hidden.delete(run)) this.hidden.add(run);
    for (const plot of this.list) {
      plot.series?.forEach((one, k) => {
        if (one.run === run && plot.u) plot.u.setSeries(k + 1, { show: !this.hidden.has(run) });
      });
    }
    return !this.hidden.has(run);
  }

  // what all plots show: the whole run, or what is zoomed to
  shownRange() {
    const [low, high] = this.span ?? [0, 1];
    return this.window ?? (low < high ? { min: low, max: high } : { min: low - 0.5, max: high + 0.5 });
  }

  width() {
    return Math.max(240, this.root.clientWidth - 20);
  }

  // a click goes to that time; a drag is a zoom; two clicks show all again
  listen(u) {
    let from = null;
    u.over.addEventListener('mousedown', (event) => { from = event.clientX; });
    u.over.addEventListener('mouseup', (event) => {
      if (from !== null && Math.abs(event.clientX - from) < 3) {
        this.onTime(u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x'));
      }
      from = null;
    });
    u.over.addEventListener('dblclick', () => this.whole());
    u.over.addEventListener('mouseenter', () => { this.hovered = true; });
    u.over.addEventListener('mouseleave', () => {
      this.hovered = false;
      requestAnimationFrame(() => this.list.forEach((plot) => plot.visible && this.tell(plot)));
    });
  }

  zoom(u) {
    if (this.zooming) return;
    const { min, max } = u.scales.x;
    if (min === null || min === undefined) return;
    this.zooming = true;
    const all = this.span && min <= this.span[0] && max >= this.span[1];
    this.window = all ? null : { min, max };
    for (const plot of this.list) {
      if (plot.u && plot.u !== u) plot.u.setScale('x', { min, max });
      if (plot.u) requestAnimationFrame(() => this.placeNow(plot, plot.u));
    }
    this.onZoom?.(this.window);
    this.zooming = false;
  }

  whole() {
    this.window = null;
    const first = this.list.find((plot) => plot.u);
    if (first) first.u.setScale('x', this.shownRange());
    this.onZoom?.(null);
  }

  placeNow(plot, u) {
    if (!plot.now) return;
    const x = u.valToPos(this.time, 'x');
    plot.now.style.display = x >= 0 && x <= u.over.clientWidth ? '' : 'none';
    plot.now.style.left = `${x}px`;
  }

  show(time) {
    this.time = time;
    for (const plot of this.list) {
      if (!plot.u) continue;
      this.placeNow(plot, plot.u);
      if (plot.visible && !this.hovered) this.tell(plot);
    }
  }

  // the legend has the values of the time that is shown, or of the cursor
  tell(plot) {
    if (!plot.u || this.hovered || !plot.u.legend.live) return;
    const times = plot.u.data[0];
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= this.time) low = middle; else high = middle - 1;
    }
    // runs with other rows have gaps
    const idxs = plot.u.data.map((values) => {
      let k = low;
      while (k > 0 && (values[k] === null || values[k] === undefined)) k--;
      return k;
    });
    plot.u.setLegend({ idxs }, false);
  }

  resize() {
    const width = this.width();
    for (const plot of this.list) {
      if (plot.u && plot.u.width !== width) plot.u.setSize({ width, height: plot.u.height });
    }
  }

  recolour() {
    for (const plot of this.list) plot.u?.redraw(false, true);
  }
}

// States of contacts as bars: a row for each pair that touches.
export function contactBand(recording, list) {
  const names = recording.scene.touching, rows = new Map();
  const end = recording.times.length;
  for (let row = 0; row < end; row++) {
    const at = row * recording.every;
    for (let k = list.starts[at]; k < list.starts[at + 1]; k++) {
      const o = k * list.width, [a, b, point] = list.values.subarray(o + 1, o + 4);
      const key = `${a} ${b} ${point}`;
      if (!rows.has(key)) rows.set(key, { a, b, point, states: new Uint8Array(end) });
      const states = rows.get(key).states;
      states[row] = Math.max(states[row], list.values[o + 11] || 1);
    }
  }
  const word = (k) => (names[k] ?? `shape ${k}`).split('/').slice(-2).join('/');
  const all = [...rows.values()].map((one) => ({
    label: `${word(one.a)} – ${word(one.b)}${one.point >= 0 ? ` · ${one.point}` : ''}`, states: one.states }));
  const shown = all.slice(0, 24);
  return {
    rows: shown, left: all.length - shown.length, height: 44 + BAND_ROW * shown.length,
    draw(u) {
      const { ctx } = u, ratio = uPlot.pxRatio, { left, top, width, height } = u.bbox;
      const tall = height / shown.length;
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.font = `${11 * ratio}px system-ui, sans-serif`;
      ctx.textBaseline = 'middle';
      shown.forEach((row, k) => {
        const y = top + k * tall;
        for (let i = 0; i < end;) {
          let j = i + 1;
          while (j < end && row.states[j] === row.states[i]) j++;
          if (row.states[i] > 0) {
            const x = u.valToPos(recording.times[i], 'x', true);
            const to = u.valToPos(recording.times[Math.min(j, end - 1)], 'x', true);
            ctx.fillStyle = row.states[i] === 1 ? curve(1) : curve(0);
            ctx.globalAlpha = 0.55;
            ctx.fillRect(x, y + 2 * ratio, Math.max(to - x, ratio), tall - 4 * ratio);
            ctx.globalAlpha = 1;
          }
          i = j;
        }
        ctx.fillStyle = token('--ink');
        ctx.fillText(row.label, left + 6 * ratio, y + tall / 2);
      });
      ctx.restore();
    },
  };
}
