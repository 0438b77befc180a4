// data.js - recordings: what they hold, and their numbers, out of this page or from its server.

const PIECE_ROWS = 512; // of poses that are fetched at once
const PIECES_KEPT = 24;
const LIST_MOST = 600000;
const ROWS_MOST = 120000; // of a plot

function decode(text) {
  const clean = text.trim();
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(clean);
  const bytes = atob(clean);
  const out = new Uint8Array(bytes.length);
  for (let k = 0; k < bytes.length; k++) out[k] = bytes.charCodeAt(k);
  return out;
}

const asNumbers = (bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);

// JSON that came with the results: it may be missing, or from elsewhere
function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export function decodeTriangles(text) {
  const bytes = decode(text);
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 36) * 9);
}

// Numbers in this page; each element is decoded once.
class Embedded {
  constructor() {
    this.known = new Map();
  }

  all(recording, what) {
    const id = `r${recording}-${what}`;
    if (!this.known.has(id)) {
      const element = document.getElementById(id);
      this.known.set(id, element ? asNumbers(decode(element.textContent)) : new Float64Array(0));
      element?.remove();
    }
    return this.known.get(id);
  }
}

async function ask(recording, what, first, count, every) {
  const which = typeof what === 'number' ? `s=${what}` : `kind=${what}`;
  const answer = await fetch(
    `piece?r=${recording}&${which}&first=${first}&count=${count}&every=${every}`);
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return new Float64Array(await answer.arrayBuffer());
}

// Poses of all frames over time, in pieces.
class Poses {
  constructor(recording, index) {
    const signal = recording.meta.signals[index];
    this.recording = recording;
    this.index = index;
    this.width = signal.width;
    this.every = signal.every; // rows of results from one to the next
    this.count = Math.ceil(recording.meta.rows / signal.every);
    this.pieces = new Map(); // number of a piece -> values, or a promise of them
    if (!recording.served) this.whole = recording.embedded.all(recording.number, index);
  }

  time(k) {
    return this.recording.times[Math.round((k * this.every) / this.recording.every)];
  }

  // values of row k: [array, offset], or null while they are on their way
  row(k) {
    if (this.whole) return [this.whole, k * this.width];
    const number = Math.floor(k / PIECE_ROWS);
    const piece = this.pieces.get(number);
    if (piece instanceof Float64Array) {
      this.pieces.delete(number); // the last used is the last
      this.pieces.set(number, piece);
      return [piece, (k - number * PIECE_ROWS) * this.width];
    }
    if (!piece) this.request(number);
    return null;
  }

  request(number) {
    const first = number * PIECE_ROWS;
    if (first >= this.count || this.pieces.has(number)) return this.pieces.get(number);
    const coming = ask(this.recording.number, this.index, first, PIECE_ROWS, 1).then((values) => {
      this.pieces.set(number, values);
      for (const [old, piece] of this.pieces) {
        if (this.pieces.size <= PIECES_KEPT) break;
        if (piece instanceof Float64Array && old !== number) this.pieces.delete(old);
      }
      this.recording.onPiece?.();
    }, () => this.pieces.delete(number));
    this.pieces.set(number, coming);
    return coming;
  }

  // the row at or before a time
  find(time) {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time(middle) <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  // a few rows over the whole run, for bounds
  async sample(most) {
    const step = Math.max(1, Math.ceil(this.count / most));
    if (this.whole) {
      const out = [];
      for (let k = 0; k < this.count; k += step) {
        out.push(this.whole.subarray(k * this.width, (k + 1) * this.width));
      }
      return out;
    }
    const values = await ask(this.recording.number, this.index, 0, most, step);
    const out = [];
    for (let k = 0; k < values.length; k += this.width) out.push(values.subarray(k, k + this.width));
    return out;
  }
}

export class Recording {
  constructor(meta, number, served, embedded) {
    this.meta = meta;
    this.number = number;
    this.served = served;
    this.embedded = embedded;
    this.scene = parse(meta.scene);
    this.summary = parse(meta.summary);
    this.coupling = this.summary?.coupling ?? this.scene?.coupling ?? '';
    this.label = meta.label || this.coupling || meta.file || `run ${number + 1}`;
    this.every = meta.every;
    if (served && meta.rows > ROWS_MOST) this.thin = Math.ceil(meta.rows / ROWS_MOST);
    const poses = this.find('@view/poses');
    if (poses >= 0) this.poses = new Poses(this, poses);
    this.values = new Map();
  }

  find(name) {
    return this.meta.signals.findIndex((signal) => signal.name === name);
  }

  async open() {
    this.times = this.served
      ? await ask(this.number, 'time', 0, this.meta.rows, 1)
      : this.embedded.all(this.number, 'time');
    this.plotTimes = this.thin ? this.times.filter((_, k) => k % this.thin === 0) : this.times;
    this.start = this.times[0] ?? 0;
    this.end = this.times[this.times.length - 1] ?? 0;
  }

  // all rows of a signal that are plotted
  async signal(index) {
    if (!this.values.has(index)) {
      const thin = this.thin ?? 1;
      this.values.set(index, this.served
        ? ask(this.number, index, 0, Math.ceil(this.meta.rows / thin), thin)
        : Promise.resolve(this.embedded.all(this.number, index)));
    }
    return this.values.get(index);
  }

  async named(name) {
    const index = this.find(name);
    return index < 0 ? null : this.signal(index);
  }

  // contacts: {values, width, starts}, starts[row] the first entry of a row
  async contacts() {
    if (this.list !== undefined) return this.list;
    this.list = null;
    const { width, rows } = this.meta.list;
    if (width === 0 || rows === 0 || rows > LIST_MOST) return null;
    const values = this.served
      ? await ask(this.number, 'list', 0, rows, 1)
      : this.embedded.all(this.number, 'list');
    const starts = new Uint32Array(this.meta.rows + 1);
    for (let k = 0; k < rows; k++) {
      const row = values[k * width];
      if (row < this.meta.rows) starts[row + 1]++;
    }
    for (let k = 0; k < this.meta.rows; k++) starts[k + 1] += starts[k];
    this.list = { values, width, starts, rows };
    return this.list;
  }

  // the row of results at or before a time (rows are counted before thinning out)
  rowAt(time) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle - 1;
    }
    return low * this.every;
  }
}

export async function loadAll() {
  const element = document.getElementById('flange-data');
  const data = element
    ? JSON.parse(element.textContent)
    : await (await fetch('data.json')).json();
  const embedded = new Embedded();
  const recordings = data.recordings.map((meta, k) => new Recording(meta, k, data.served, embedded));
  // the same label twice says nothing
  for (const one of recordings) {
    if (recordings.filter((other) => other.label === one.label).length > 1 && one.meta.file) {
      one.longLabel = `${one.label} (${one.meta.file})`;
    }
  }
  for (const one of recordings) one.label = one.longLabel ?? one.label;
  await Promise.all(recordings.map((one) => one.open()));
  return { data, recordings, comparison: parse(data.comparison) };
}
