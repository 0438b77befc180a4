// summary.js - what was run, how it went, and how far it is from the reference.
import { short } from './plots.js';
import { stepText } from './charts.js';
import { comparedNames, errorOf } from './errors.js';

const make = (name, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};

export function table(head, rows) {
  const all = make('table'), top = all.createTHead().insertRow();
  head.forEach((word, k) => top.append(make('th', word, k > 0 ? 'number' : '')));
  const body = all.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((cell, k) => row.append(make('td', String(cell), `${k > 0 ? 'number' : ''}${cells.bad ? ' bad' : ''}${cells.best?.includes(k) ? ' best' : ''}`)));
  }
  return all;
}

function tile(root, value, word) {
  if (value === undefined || value === null || value === '') return;
  const box = make('div', undefined, 'tile');
  box.append(make('b', value), make('span', word));
  root.append(box);
}

function section(root, title, content) {
  const box = make('div', undefined, 'wide');
  box.append(make('h2', title), content);
  root.append(box);
}

export function showHead(recording, comparison) {
  document.getElementById('name').textContent = recording.meta.name || 'unnamed scenario';
  document.title = `${recording.meta.name || 'unnamed'} · Flange`;
  const badges = document.getElementById('badges');
  const status = recording.meta.status;
  const words = [[status === 'running' ? 'not finished' : status, status === 'complete' ? 'good' : 'bad']];
  if (comparison) words.push([`${comparison.runs.length} runs compared`, '']);
  else if (recording.coupling) words.push([recording.coupling, '']);
  for (const [word, kind] of words) badges.append(make('span', word, `badge ${kind}`));
}

function tiles(root, recording) {
  const s = recording.summary, scene = recording.scene;
  tile(root, `${short(recording.end, 6)} s`, 'simulated');
  tile(root, s?.coupling ?? scene?.coupling, 'coupling');
  const integrators = [...new Set(Object.values(s?.integrators ?? scene?.integrators ?? {}))];
  tile(root, integrators.join(', '), 'integrator');
  if (scene) tile(root, `${stepText(scene.macro)} s`, 'macro step');
  if (s?.micro_steps) tile(root, short(s.micro_steps, 7), 'micro steps');
  if (s?.wall_seconds) tile(root, `${short(s.wall_seconds, 3)} s`, `wall, ${short(s.real_time_factor, 3)}× real time`);
  if (s?.energy) {
    const drift = s.energy.final - s.energy.initial;
    tile(root, `${short(drift, 3)} J`, `energy gained`);
  }
  if (s?.constraints?.position_max > 0) tile(root, short(s.constraints.position_max, 2), 'largest gap of joints [m, rad]');
  if (s?.contacts) {
    tile(root, short(s.contacts.switches, 7), `contact changes`);
  }
}

function interfaces(root, recording) {
  const list = Object.entries(recording.summary?.interfaces ?? {});
  if (list.length === 0) return;
  const rows = list.map(([name, one]) => [name, short(one.pose_drift_max, 3), short(one.energy_residual_max, 3),
    short(one.rank_min, 3), one.condition_max === null ? '–' : short(one.condition_max, 3), one.force_unique ? 'yes' : 'no']);
  section(root, 'Interfaces', table(['interface', 'drift [m]', 'residual [J]', 'rank', 'condition', 'force unique'], rows));
}

// largest errors of all signals in one table; the rest folded below it
function compared(root, comparison, unitOf) {
  const names = Object.keys(comparison.runs[0]?.errors ?? {}), about = comparison.reference;
  const isWild = (run) => run.diverged_at !== null;
  const figure = (run, name, key) => (isWild(run) && run.errors[name][key] !== null ? '>' : '') + short(run.errors[name][key], 3);
  const least = names.map((name) => Math.min(...comparison.runs.map((run) => (isWild(run) ? Infinity : run.errors[name].max ?? Infinity))));
  const rows = comparison.runs.map((run) => {
    const cells = [run.coupling, stepText(run.macro), ...names.map((name) => figure(run, name, 'max')), short(run.wall_seconds, 3),
      isWild(run) ? `before ${short(run.diverged_at, 4)} s` : ''];
    cells.bad = isWild(run);
    cells.best = names.flatMap((name, k) => (run.errors[name].max === least[k] && !isWild(run) ? [k + 2] : []));
    return cells;
  });
  const title = (name) => (unitOf(name) ? `${name} [${unitOf(name)}]` : name);
  section(root, `Largest errors against ${about.coupling} with steps of ${stepText(about.step)} s (${about.integrator})`,
    table(['coupling', 'macro [s]', ...names.map(title), 'wall [s]', 'diverged'], rows));
  const more = make('details'), box = make('div', undefined, 'wide');
  more.append(make('summary', 'Root of the mean square, and at the end'));
  for (const name of names) {
    more.append(make('h2', title(name)), table(['coupling', 'macro [s]', 'max', 'rms', 'final'],
      comparison.runs.map((run) => [run.coupling, stepText(run.macro), ...['max', 'rms', 'final'].map((key) => figure(run, name, key))])));
  }
  box.append(more);
  root.append(box);
}

async function against(root, recordings, reference) {
  const runs = recordings.filter((one) => one !== reference);
  const names = comparedNames(runs, reference);
  const rows = [];
  for (const run of runs) {
    for (const name of names) {
      const error = await errorOf(run, reference, name);
      if (!error) continue;
      const unit = run.meta.signals[run.find(name)].unit;
      rows.push([runs.length > 1 ? `${run.label}: ${name}` : name, unit || '–', short(error.max, 4), short(error.rms, 4), short(error.final, 4)]);
    }
  }
  if (rows.length > 0) section(root, `Error against ${reference.label}`, table(['signal', 'unit', 'max', 'rms', 'final'], rows));
}

export async function showSummary(root, recordings, shown, reference, comparison) {
  const top = root.querySelector('#tiles'), below = root.querySelector('#figures');
  tiles(top, shown);
  interfaces(below, shown);
  if (comparison) compared(top, comparison, (name) => shown.meta.signals[shown.find(name)]?.unit ?? '');
  else if (reference) await against(below, recordings, reference);
}
