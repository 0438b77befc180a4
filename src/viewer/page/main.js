// main.js - puts the page together: data, view in space, plots, and the controls between them.
import { loadAll } from './data.js';
import { Space } from './space.js';
import { keyColour } from './shapes.js';
import { Plots, column, contactBand, unitOf } from './plots.js';
import { comparedNames, errorOf } from './errors.js';
import { chartLegend, errorChart } from './charts.js';
import { INK, curveStyle, dashOfRun, dashOfStep, setCurves } from './colours.js';
import { showHead, showSummary } from './summary.js';

const $ = (id) => document.getElementById(id);

// The reference of errors: that of the comparison, or the monolithic run with the shortest steps.
function findReference(recordings, comparison) {
  if (recordings.length < 2) return null;
  if (comparison) return recordings[recordings.length - 1];
  const exact = recordings.filter((one) => one.coupling === 'monolithic');
  exact.sort((a, b) => (a.scene?.macro ?? 0) - (b.scene?.macro ?? 0));
  return exact[0] ?? recordings[recordings.length - 1];
}

// A run whose numbers run away is drawn, but does not choose the scale.
function isWild(run, reference, comparison, recordings) {
  if (run.meta.status === 'diverged') return true;
  const entry = comparison?.runs[recordings.indexOf(run)];
  return Boolean(entry && entry.diverged_at !== null && run !== reference);
}

// How a run is drawn where each has a colour of its own; of a comparison each coupling has one, and
// macro steps have dashes.
function runStyle(app, run) {
  const { comparison, recordings, reference } = app;
  const style = { run: run.number, label: run.label, wild: isWild(run, reference, comparison, recordings) };
  const k = run === reference ? INK : recordings.indexOf(run), entry = comparison?.runs[k];
  if (!entry) return { ...style, colour: k, dashes: dashOfRun(k) };
  const distinct = (key) => [...new Set(comparison.runs.map((one) => one[key]))];
  return { ...style, colour: distinct('coupling').indexOf(entry.coupling), dashes: dashOfStep(distinct('macro').indexOf(entry.macro)) };
}

const MANY = 3; // runs from which on one key stands for the legends of all plots

function addKey(app) {
  if (app.recordings.length < MANY) return;
  const key = $('runs');
  key.hidden = false;
  for (const run of app.recordings) {
    const style = runStyle(app, run), button = document.createElement('button'), mark = document.createElement('i');
    mark.style.borderTop = `3px ${!style.dashes ? 'solid' : style.dashes[0] < 4 ? 'dotted' : 'dashed'} ${curveStyle(style.colour)}`;
    button.append(mark, run.label);
    button.addEventListener('click', () => button.classList.toggle('off', !app.plots.toggle(run.number)));
    key.append(button);
  }
}

// --- theme ---

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setCurves(theme);
}

function openTheme(app) {
  const wish = window.matchMedia('(prefers-color-scheme: dark)');
  setTheme(wish.matches ? 'dark' : 'light');
  const change = (theme) => {
    setTheme(theme);
    app.space?.recolour();
    app.plots?.recolour();
  };
  wish.addEventListener('change', () => change(wish.matches ? 'dark' : 'light'));
  $('theme').addEventListener('click', () =>
    change(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
}

// --- plots ---

// One plot of all components of a signal; with many runs one plot a component.
function addSignal(app, name, signal) {
  const { plots, recordings, reference, comparison } = app;
  const having = recordings.filter((one) => one.find(name) >= 0);
  const series = async (run, k, colour) => {
    const values = await run.signal(run.find(name));
    return { times: run.plotTimes, values: column(values, signal.width, k), colour,
      wild: isWild(run, reference, comparison, recordings) };
  };
  const component = (k) => signal.components?.[k] ?? (signal.width > 1 ? String(k) : name.split('/').pop());
  const units = [...new Set(Array.from({ length: signal.width }, (_, k) => unitOf(signal, k)))];
  if (having.length > 2) {
    for (let k = 0; k < signal.width; k++) {
      plots.add({ title: signal.width > 1 ? `${name}.${component(k)}` : name, unit: unitOf(signal, k), keyed: true,
        load: () => Promise.all(having.map(async (run) => ({ ...await series(run, k, 0), ...runStyle(app, run) }))) });
    }
    return;
  }
  for (const unit of units) {
    const members = Array.from({ length: signal.width }, (_, k) => k).filter((k) => unitOf(signal, k) === unit);
    const part = units.length > 1 ? ` (${members.map(component).join(', ')})` : '';
    plots.add({ title: name + part, unit, load: async () => (await Promise.all(having.map((run, r) =>
      Promise.all(members.map(async (k, i) => ({ ...await series(run, k, i), dash: r > 0,
        label: having.length > 1 ? `${component(k)}, ${run.label}` : component(k) })))))).flat() });
  }
}

function addSignals(app) {
  const shown = app.shown.meta.signals.filter((signal) => !signal.name.startsWith('@'));
  const group = (name) => (name.includes('/') ? name.split('/')[0] : 'interfaces and clock');
  const groups = [...new Set(shown.map((signal) => group(signal.name)))];
  for (const title of groups) {
    app.plots.heading(title);
    for (const signal of shown) if (group(signal.name) === title) addSignal(app, signal.name, signal);
  }
}

function addErrors(app) {
  const { plots, recordings, reference } = app;
  if (!reference) return;
  const runs = recordings.filter((one) => one !== reference);
  const names = comparedNames(runs, reference);
  if (names.length === 0) return;
  plots.heading(`error against ${reference.label}`);
  for (const name of names) {
    const { unit } = reference.meta.signals[reference.find(name)];
    plots.add({ title: `error of ${name}`, unit, log: true, keyed: recordings.length >= MANY, load: async () => {
      const all = await Promise.all(runs.map((run) => errorOf(run, reference, name)));
      return all.flatMap((error, k) => (error ? [{ ...error, ...runStyle(app, runs[k]) }] : []));
    } });
  }
}

function addEnergy(app) {
  const having = app.recordings.filter((one) => one.find('@view/energy') >= 0);
  if (having.length === 0) return;
  app.plots.heading('energy and time on the clock');
  const of = (name, scale) => async () => Promise.all(having.map(async (run) => {
    const values = await run.named(name);
    return { ...runStyle(app, run), ...(having.length > 1 ? {} : { label: name.split('/')[1].replace('_', ' ') }),
      times: run.plotTimes, values: scale ? values.map((v) => v * scale) : values };
  }));
  app.plots.add({ title: 'energy, kinetic and potential', unit: 'J', keyed: having.length >= MANY, load: of('@view/energy') });
  app.plots.add({ title: 'time on the clock of a macro step', unit: 'ms', keyed: having.length >= MANY, load: of('@view/wall_time', 1e3) });
}

const INTERFACE = 11;
const interfaceParts = [
  { title: 'force', unit: 'N', at: [0, 1, 2], words: ['fx', 'fy', 'fz'], covers: 'force' },
  { title: 'moment', unit: 'N m', at: [3, 4, 5], words: ['mx', 'my', 'mz'], covers: 'force' },
  { title: 'pose error', unit: 'm', at: [6], words: ['distance'], covers: 'pose_error' },
  { title: 'energy residual', unit: 'J', at: [8], words: ['residual'], covers: 'energy_residual' },
  { title: 'rank', unit: '', at: [9], words: ['rank'], covers: 'rank' },
  { title: 'condition number', unit: '', at: [10], words: ['condition'], log: true, covers: 'condition' },
];

function addInterfaces(app) {
  const run = app.shown, index = run.find('@view/interfaces');
  if (index < 0 || !run.scene) return;
  const width = run.meta.signals[index].width;
  run.scene.interfaces.forEach((one, number) => {
    app.plots.heading(`interface ${one.name}`);
    for (const part of interfaceParts) {
      if (run.find(`${one.name}.${part.covers}`) >= 0) continue; // recorded, and drawn as a signal
      const having = app.recordings.length > 2 && part.at.length > 1 ? [run]
        : app.recordings.filter((other) => other.find('@view/interfaces') >= 0 && other.scene?.interfaces.length === run.scene.interfaces.length);
      app.plots.add({ title: `${one.name}: ${part.title}`, unit: part.unit, log: part.log, keyed: having.length >= MANY,
        load: async () => (await Promise.all(having.map(async (other, r) => {
          const values = await other.signal(other.find('@view/interfaces'));
          return part.at.map((k, i) => ({ times: other.plotTimes, values: column(values, width, INTERFACE * number + k),
            ...(part.at.length === 1 ? runStyle(app, other) : { colour: i, dash: r > 0, wild: runStyle(app, other).wild }),
            label: having.length === 1 ? part.words[i] : part.at.length > 1 ? `${part.words[i]}, ${other.label}` : other.label }));
        }))).flat() });
    }
  });
}

async function addContacts(app) {
  const run = app.shown, list = run.scene ? await run.contacts() : null;
  if (!list || list.rows === 0) return;
  const band = contactBand(run, list);
  if (band.rows.length === 0) return;
  app.plots.heading('contacts');
  app.plots.add({ title: 'what touches', height: band.height, band: band.draw, range: [0, 1],
    note: `blue: sticking, orange: sliding${band.left > 0 ? `; ${band.left} more are not drawn` : ''}`,
    load: async () => [{ label: 'contacts', times: run.plotTimes, values: new Float64Array(run.plotTimes.length) }] });
  const count = new Float64Array(run.times.length);
  for (let k = 0; k < count.length; k++) count[k] = list.starts[k * run.every + 1] - list.starts[k * run.every];
  app.plots.add({ title: 'closed contact points', load: async () => [{ label: 'points', times: run.times, values: count }] });
}

function addCharts(app) {
  const { comparison } = app;
  if (!comparison) return;
  const macros = new Set(comparison.runs.map((run) => run.macro));
  if (macros.size < 2) return;
  app.plots.heading('error over the macro step');
  const couplings = [...new Set(comparison.runs.map((run) => run.coupling))];
  for (const name of Object.keys(comparison.runs[0].errors)) {
    const lines = couplings.map((coupling, colour) => ({ label: coupling, colour,
      points: comparison.runs.filter((run) => run.coupling === coupling && run.diverged_at === null)
        .map((run) => [run.macro, run.errors[name]?.max]) }));
    const signal = app.shown.meta.signals[app.shown.find(name)];
    const box = document.createElement('div'), title = document.createElement('h3');
    box.className = 'plot';
    box.dataset.chart = name;
    title.textContent = name;
    box.append(title, errorChart(lines, signal?.unit), chartLegend(lines));
    $('plots').append(box);
  }
}

// --- controls ---

function fillSelect(select, entries, value) {
  select.replaceChildren(...entries.map(([key, word]) => new Option(word, key)));
  select.value = String(value);
}

function openControls(app) {
  const { space } = app;
  for (const [name, word] of [['corner', 'Corner'], ['front', 'Front'], ['side', 'Side'], ['top', 'Top']]) {
    const button = document.createElement('button');
    button.textContent = word;
    button.dataset.camera = name;
    button.addEventListener('click', () => space.look(name));
    $('cameras').append(button);
  }
  const scene = app.shown.scene;
  const layers = [['contacts', 'Contacts', app.shown.meta.list.rows > 0], ['interfaces', 'Interfaces', scene.interfaces.length > 0],
    ['ellipsoids', 'Mass ellipsoids', scene.sides.length > 0], ['markers', 'Markers', scene.markers.length > 0],
    ['links', 'Springs and gears', scene.springs.length + (scene.gears?.length ?? 0) > 0], ['grid', 'Grid', true]];
  for (const [name, word, there] of layers) {
    if (!there) continue;
    const button = document.createElement('button');
    button.textContent = word;
    button.dataset.layer = name;
    button.setAttribute('aria-pressed', space.layers[name]);
    button.addEventListener('click', () => {
      space.setLayer(name, !space.layers[name]);
      button.setAttribute('aria-pressed', space.layers[name]);
      showKey(app);
    });
    $('layers').append(button);
  }
  const movable = scene.bodies.filter((body) => body.frame !== undefined);
  fillSelect($('follow'), [['', 'nothing'], ...movable.map((body) => [body.name, body.name])], '');
  $('follow').addEventListener('change', () => space.follow($('follow').value));
  $('bending-label').hidden = !space.bends;
  $('bending').addEventListener('change', () => {
    space.exaggerateBy(Number($('bending').value));
    space.show(app.time);
    showKey(app);
  });
  $('picture').addEventListener('click', () => savePicture(app));
  openRuns(app);
}

function openRuns(app) {
  const able = app.recordings.filter((one) => one.scene);
  if (able.length < 2) return;
  const entries = able.map((one) => [one.number, one.label]);
  $('shown-label').hidden = $('ghost-label').hidden = false;
  fillSelect($('shown'), entries, app.shown.number);
  fillSelect($('ghost'), [[-1, 'none'], ...entries], app.ghost?.number ?? -1);
  const choose = () => {
    app.shown = app.recordings[Number($('shown').value)];
    app.ghost = app.recordings[Number($('ghost').value)] ?? null;
    if (app.ghost === app.shown) app.ghost = null;
    $('ghost').value = String(app.ghost?.number ?? -1);
    app.space.choose(app.shown, app.ghost);
    $('bending-label').hidden = !app.space.bends;
    showKey(app);
  };
  $('shown').addEventListener('change', choose);
  $('ghost').addEventListener('change', choose);
}

function savePicture(app) {
  app.space.dirty = true;
  app.space.draw();
  $('canvas').toBlob((blob) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${(app.shown.meta.name || 'flange').replace(/[^\w-]+/g, '-')}-${app.time.toFixed(3)}s.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

// what colours mean, over the view
function showKey(app) {
  const scene = app.shown.scene, key = $('key');
  const names = [...new Set(scene.bodies.filter((body) => body.frame !== undefined).map((body) => body.subsystem))];
  const lines = names.length > 1 && names.length <= 8 ? names.map((name) => [keyColour(scene, name), name]) : [];
  if (app.ghost) lines.push(['#8899aa88', `ghost: ${app.ghost.label}`]);
  if (app.space.factor > 1) lines.push(['', `deflections drawn ${app.space.factor} times as large`]);
  if (app.space.layers.ellipsoids) lines.push(['', 'ellipsoids: effective mass over directions']);
  key.replaceChildren(...lines.map(([colour, word]) => {
    const line = document.createElement('div'), mark = document.createElement('i');
    mark.style.background = colour;
    if (colour) line.append(mark);
    line.append(word);
    return line;
  }));
}

function openTransport(app) {
  const scrub = $('scrub');
  scrub.min = app.start;
  scrub.max = app.end;
  scrub.addEventListener('input', () => { app.pause(); app.setTime(Number(scrub.value)); });
  $('play').addEventListener('click', () => (app.playing ? app.pause() : app.play()));
  $('speed').addEventListener('change', () => { app.speed = Number($('speed').value); });
  document.addEventListener('keydown', (event) => {
    if (event.target.closest('input, select, button, summary') || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key === ' ') {
      app.playing ? app.pause() : app.play();
    } else if (event.key in steps) {
      app.pause();
      app.stepBy(steps[event.key] * (event.shiftKey ? 10 : 1));
    } else {
      return;
    }
    event.preventDefault();
  });
}

// Paper is white.
function openPrint(app) {
  let before;
  const recolour = (theme) => {
    setTheme(theme);
    app.space?.recolour();
    app.space?.draw();
    app.plots.recolour();
  };
  window.addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme;
    recolour('light');
    app.plots.makeAll();
  });
  window.addEventListener('afterprint', () => recolour(before));
}

class App {
  constructor() {
    this.time = 0;
    this.speed = 1;
    this.playing = false;
  }

  setTime(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.space?.show(this.time);
    this.plots.show(this.time);
    $('scrub').value = this.time;
    $('clock').textContent = `${this.time.toFixed(3)} s`;
    $('loading').hidden = !this.space?.waiting;
  }

  stepBy(rows) {
    const times = this.shown.times, k = Math.round(this.shown.rowAt(this.time) / this.shown.every) + rows;
    this.setTime(times[Math.min(times.length - 1, Math.max(0, k))]);
  }

  play() {
    if (this.time >= this.end) this.setTime(this.start);
    this.playing = true;
    this.last = performance.now();
    $('play').textContent = '❚❚';
  }

  pause() {
    this.playing = false;
    $('play').textContent = '▶';
  }

  tick(now) {
    if (this.playing) {
      const passed = Math.min(0.25, (now - this.last) / 1000);
      this.last = now;
      if (!this.space?.waiting) this.setTime(this.time + passed * this.speed);
      if (this.time >= this.end) this.pause();
    }
    this.space?.draw();
    $('loading').hidden = !this.space?.waiting;
    requestAnimationFrame((next) => this.tick(next));
  }
}

function showFoot(app) {
  const text = app.recordings[0].meta.scenario;
  $('scenario-box').hidden = !text;
  $('scenario').textContent = text;
  const thinned = app.shown.meta.signals.find((signal) => signal.name === '@view/poses')?.every > 1
    ? ` Poses are those of every ${app.shown.poses.every}th recorded time, and blended in between.` : '';
  $('made').textContent = `Recorded by Flange ${app.shown.meta.version || '?'}, shown by Flange ${app.data.flange}.${thinned}${
    app.shown.every > 1 ? ` Plots hold every ${app.shown.every}th row.` : ''}`;
}

async function openSpace(app) {
  if (!app.shown.scene || !(app.shown.scene.version >= 1)) {
    document.body.classList.add('flat');
    $('options').hidden = true;
    return;
  }
  try {
    app.space = new Space($('canvas'), $('labels'));
  } catch (error) {
    $('key').textContent = 'This browser has no WebGL: there is no view in space.';
    $('options').hidden = true;
    return;
  }
  if (app.ghost && !app.ghost.scene) app.ghost = null;
  await app.space.open(app.recordings, app.shown, app.ghost);
  openControls(app);
  showKey(app);
}

async function start() {
  const app = new App();
  window.flange = app;
  openTheme(app);
  Object.assign(app, await loadAll());
  const { recordings, comparison } = app;
  app.reference = findReference(recordings, comparison);
  app.shown = recordings.find((one) => one !== app.reference && !isWild(one, app.reference, comparison, recordings))
    ?? recordings.find((one) => one !== app.reference) ?? recordings[0];
  if (comparison) {
    const sound = recordings.filter((one) => one !== app.reference && !isWild(one, app.reference, comparison, recordings));
    app.shown = sound[sound.length - 1] ?? app.shown;
  }
  app.ghost = app.reference;
  app.start = Math.min(...recordings.map((one) => one.start));
  app.end = Math.max(...recordings.map((one) => one.end));
  showHead(app.shown, comparison);
  app.plots = new Plots($('plots'), (time) => { app.pause(); app.setTime(time); });
  app.plots.span = [app.start, app.end];
  app.plots.onZoom = (zoomed) => { $('reset-zoom').hidden = !zoomed; };
  $('reset-zoom').addEventListener('click', () => app.plots.whole());
  await openSpace(app);
  openTransport(app);
  addKey(app);
  addCharts(app);
  addErrors(app);
  addSignals(app);
  await addContacts(app);
  addInterfaces(app);
  addEnergy(app);
  showFoot(app);
  app.setTime(app.start);
  requestAnimationFrame((now) => app.tick(now));
  await showSummary(document, recordings, app.shown, app.reference, comparison);
  openPrint(app);
  app.ready = true;
}

start().catch((error) => {
  const words = document.createElement('p');
  words.className = 'badge bad';
  words.textContent = `This page cannot be shown: ${error.message}`;
  document.getElementById('tiles').append(words);
  console.error(error);
});
