// errors.js - how far a run is from the reference: as `flange compare` has it (src/cosim/compare.h).

// Signals that tell how a run itself does, such as wrist.rank, are not compared; forces of
// interfaces are means over the macro step.
const isOfInterface = (name) => !name.includes('/');
const isMean = (name) => isOfInterface(name) && name.endsWith('.force');
const isOrientation = (name) => name.endsWith('.orientation');
const isCompared = (name) => !name.startsWith('@') && (!isOfInterface(name) || isMean(name));

// Signals that a run has in common with the reference.
export function comparedNames(runs, reference) {
  const width = (run, name) => run.meta.signals[run.find(name)]?.width;
  return reference.meta.signals.map((signal) => signal.name).filter((name) => isCompared(name)
    && runs.some((run) => width(run, name) === width(reference, name)));
}

// Pairs of rows at the same time.
function commonRows(a, b) {
  const pairs = [], slack = 1e-9 * Math.max(1, Math.abs(a[a.length - 1] ?? 1));
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (Math.abs(a[i] - b[j]) <= slack) pairs.push([i++, j++]);
    else if (a[i] < b[j]) i++;
    else j++;
  }
  return pairs;
}

function norm(a, ao, b, bo, width, sign) {
  let sum = 0;
  for (let k = 0; k < width; k++) sum += (a[ao + k] - sign * b[bo + k]) ** 2;
  return Math.sqrt(sum);
}

// Values of the reference at a row, or their mean since the last common one.
function referenceAt(values, width, before, row, mean) {
  if (!mean || before === null || row - before < 2) return values.subarray(row * width, (row + 1) * width);
  const out = new Float64Array(width);
  for (let k = before + 1; k <= row; k++) for (let i = 0; i < width; i++) out[i] += values[k * width + i];
  return out.map((sum) => sum / (row - before));
}

// {times, values, max, rms, final} of a signal, or null if the runs have no time in common.
export async function errorOf(run, reference, name) {
  const i = run.find(name), j = reference.find(name);
  if (i < 0 || j < 0) return null;
  const width = run.meta.signals[i].width;
  if (reference.meta.signals[j].width !== width) return null;
  const [a, b] = await Promise.all([run.signal(i), reference.signal(j)]);
  const pairs = commonRows(run.plotTimes, reference.plotTimes);
  if (pairs.length === 0) return null;
  const times = new Float64Array(pairs.length), values = new Float64Array(pairs.length);
  let before = null, sum = 0, max = 0;
  pairs.forEach(([p, q], k) => {
    const exact = referenceAt(b, width, before, q, isMean(name));
    let error = norm(a, p * width, exact, 0, width, 1);
    if (isOrientation(name)) error = Math.min(error, norm(a, p * width, exact, 0, width, -1));
    times[k] = run.plotTimes[p];
    values[k] = error;
    sum += error * error;
    max = Math.max(max, error);
    before = q;
  });
  return { times, values, max, rms: Math.sqrt(sum / pairs.length), final: values[values.length - 1] };
}
