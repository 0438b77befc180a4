// bend.js - bodies that bend: shapes follow the recorded frames of stations along the body, and so do
// markers and springs on it. Deflections can be exaggerated: what hangs on a body goes with it.
import * as THREE from 'three';

const PIECES = 24; // edges of shapes are divided until they are shorter than such a part of a body
const CORNERS_MOST = 400000;

export const isBent = (body) => Boolean(body.bend && body.bend.at.length > 3);

export const stationsOf = (body) => Array.from({ length: body.bend.at.length / 3 }, (_, k) =>
  new THREE.Vector3(...body.bend.at.slice(3 * k, 3 * k + 3)));

// The station that a point of a body rides on: the nearest, of a beam along its axis.
export function stationAt(body, at) {
  const [x, y, z] = at, axis = body.bend.axis;
  let nearest = 0, least = Infinity;
  for (let k = 0; 3 * k < body.bend.at.length; k++) {
    const d = [x - body.bend.at[3 * k], y - body.bend.at[3 * k + 1], z - body.bend.at[3 * k + 2]];
    const apart = axis ? Math.abs(d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2]) : Math.hypot(...d);
    if (apart < least) { least = apart; nearest = k; }
  }
  return nearest;
}

// --- skins ---

// Halves edges that are too long for a bent shape; the length of an edge alone decides, so that
// neighbouring triangles stay together.
function refine(corners, length, step) {
  const todo = [], done = [];
  for (let k = 0; k + 8 < corners.length; k += 9) {
    todo.push([0, 3, 6].map((o) => new THREE.Vector3(corners[k + o], corners[k + o + 1], corners[k + o + 2])));
  }
  while (todo.length > 0) {
    const [a, b, c] = todo.pop(), sides = [length(a, b), length(b, c), length(c, a)];
    const longest = sides.indexOf(Math.max(...sides));
    if (!(sides[longest] > step) || 9 * (done.length + todo.length) > CORNERS_MOST) {
      done.push([a, b, c]);
      continue;
    }
    const [p, q, r] = [[a, b, c], [b, c, a], [c, a, b]][longest];
    const middle = new THREE.Vector3().addVectors(p, q).multiplyScalar(0.5);
    todo.push([p, middle, r], [middle, q, r]);
  }
  return new Float32Array(done.flatMap((triangle) => triangle.flatMap((p) => [p.x, p.y, p.z])));
}

// Of a beam: the two stations around a section, smoothly from one to the other.
function betweenStations(stations, axis) {
  const along = stations.map((at) => at.dot(axis));
  return (point) => {
    const x = point.dot(axis);
    let k = 0;
    while (k + 2 < along.length && along[k + 1] < x) k++;
    const t = Math.min(1, Math.max(0, (x - along[k]) / (along[k + 1] - along[k])));
    const part = t * t * (3 - 2 * t);
    return [[k, k + 1, 0, 0], [1 - part, part, 0, 0]];
  };
}

// Of nodes: the four nearest.
function amongNodes(stations) {
  return (point) => {
    const near = stations.map((at, k) => [at.distanceToSquared(point), k]).sort((a, b) => a[0] - b[0]).slice(0, 4);
    if (near[0][0] < 1e-18) return [[near[0][1], 0, 0, 0], [1, 0, 0, 0]];
    const sum = near.reduce((total, [d]) => total + 1 / d, 0), pad = [0, 0, 0, 0];
    return [[...near.map(([, k]) => k), ...pad].slice(0, 4), [...near.map(([d]) => 1 / d / sum), ...pad].slice(0, 4)];
  };
}

// A mesh in the frame of its body as one that goes along with bones.
function skinOf(mesh, lengthOf, step, weigh) {
  const flat = mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry.clone();
  flat.applyMatrix4(mesh.matrix);
  const geometry = new THREE.BufferGeometry();
  const corners = refine(flat.attributes.position.array, lengthOf, step), count = corners.length / 3;
  geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
  const indices = new Uint16Array(4 * count), weights = new Float32Array(4 * count);
  for (let k = 0; k < count; k++) {
    const [which, how] = weigh(new THREE.Vector3(...corners.subarray(3 * k, 3 * k + 3)));
    indices.set(which, 4 * k);
    weights.set(how, 4 * k);
  }
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
  smoothNormals(geometry);
  return new THREE.SkinnedMesh(geometry, mesh.material);
}

// Normals of triangles, shared by corners in one place unless an edge is sharp.
function smoothNormals(geometry) {
  geometry.computeVertexNormals();
  const at = geometry.attributes.position.array, normal = geometry.attributes.normal.array, places = new Map();
  for (let k = 0; k < at.length; k += 3) {
    const key = `${at[k].toFixed(6)} ${at[k + 1].toFixed(6)} ${at[k + 2].toFixed(6)}`;
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(k);
  }
  const flat = normal.slice();
  for (const corners of places.values()) {
    for (const k of corners) {
      const sum = new THREE.Vector3(), own = new THREE.Vector3(...flat.subarray(k, k + 3));
      for (const j of corners) {
        const other = new THREE.Vector3(...flat.subarray(j, j + 3));
        if (own.dot(other) > 0.7) sum.add(other);
      }
      sum.normalize().toArray(normal, k);
    }
  }
}

// The bones of a body that bends, and its shapes on them.
export class Skin {
  constructor(body, drawn, group) {
    this.body = body;
    this.stations = stationsOf(body);
    this.bones = this.stations.map(() => new THREE.Bone());
    this.bones.forEach((bone) => group.add(bone));
    const inverses = this.stations.map((at) => new THREE.Matrix4().makeTranslation(-at.x, -at.y, -at.z));
    const skeleton = new THREE.Skeleton(this.bones, inverses);
    const axis = body.bend.axis && new THREE.Vector3(...body.bend.axis);
    const extent = new THREE.Box3().setFromPoints(this.stations).getSize(new THREE.Vector3()).length();
    const lengthOf = axis ? (a, b) => Math.abs(a.clone().sub(b).dot(axis)) : (a, b) => a.distanceTo(b);
    const weigh = axis ? betweenStations(this.stations, axis) : amongNodes(this.stations);
    drawn.updateMatrix();
    const meshes = [];
    drawn.traverse((object) => { if (object.isMesh) meshes.push(object); });
    this.reach = 0; // of shapes from their stations
    this.meshes = meshes.map((mesh) => {
      mesh.updateMatrix();
      const skin = skinOf(mesh, lengthOf, extent / PIECES, weigh);
      skin.bind(skeleton, new THREE.Matrix4());
      skin.frustumCulled = false;
      skin.castShadow = mesh.castShadow;
      skin.receiveShadow = mesh.receiveShadow;
      skin.name = `${body.name}, bent`;
      this.measure(skin.geometry);
      group.add(skin);
      return skin;
    });
    drawn.clear();
  }

  measure(geometry) {
    const at = geometry.attributes.position, which = geometry.attributes.skinIndex, point = new THREE.Vector3();
    for (let k = 0; k < at.count; k++) {
      point.fromBufferAttribute(at, k);
      this.reach = Math.max(this.reach, point.distanceTo(this.stations[which.getX(k)]));
    }
  }
}

// --- exaggeration ---

const matrixOf = (pose) => new THREE.Matrix4().compose(new THREE.Vector3(pose[0], pose[1], pose[2]),
  new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]).normalize(), new THREE.Vector3(1, 1, 1));

function poseOf(matrix, out) {
  const at = new THREE.Vector3(), turn = new THREE.Quaternion();
  matrix.decompose(at, turn, new THREE.Vector3());
  out.set([at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z]);
}

// A station of a body, whose frame is at `frame`, with its deflection `factor` times as large.
function exaggerated(frame, station, rest, factor) {
  const local = frame.clone().invert().multiply(station);
  const at = new THREE.Vector3(), turn = new THREE.Quaternion();
  local.decompose(at, turn, new THREE.Vector3());
  at.sub(rest).multiplyScalar(factor).add(rest);
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const sine = Math.hypot(turn.x, turn.y, turn.z), angle = 2 * Math.atan2(sine, turn.w) * factor;
  if (sine > 0) turn.setFromAxisAngle(new THREE.Vector3(turn.x, turn.y, turn.z).divideScalar(sine), angle);
  return frame.clone().multiply(new THREE.Matrix4().compose(at, turn, new THREE.Vector3(1, 1, 1)));
}

// How bodies are joined, from the ground on: a list of {body, from, at, on}, parents first.
export function treeOf(scene) {
  const links = [...scene.joints, ...scene.interfaces].filter((link) => link.a >= 0 && link.b >= 0 && link.at_a);
  const around = scene.bodies.map(() => []);
  for (const link of links) {
    around[link.a].push({ from: link.a, body: link.b, on: link.at_a, at: link.at_b });
    around[link.b].push({ from: link.b, body: link.a, on: link.at_b, at: link.at_a });
  }
  const order = [], seen = new Set();
  const reach = (step) => {
    if (seen.has(step.body)) return;
    seen.add(step.body);
    order.push(step);
  };
  scene.bodies.forEach((body, k) => { if (body.frame === undefined) reach({ body: k }); });
  let next = 0;
  for (let k = 0; k <= scene.bodies.length; k++) {
    for (; next < order.length; next++) around[order[next].body].forEach(reach);
    if (k < scene.bodies.length) reach({ body: k });
  }
  return order;
}

// Poses of all frames with deflections `factor` times as large, into `drawn`; returns how bodies move
// for that.
export function exaggerate(scene, tree, frames, factor, drawn) {
  const pose = (frame) => matrixOf(frames.subarray(7 * frame, 7 * frame + 7));
  const put = (frame, matrix) => poseOf(matrix, drawn.subarray(7 * frame, 7 * frame + 7));
  const moves = scene.bodies.map(() => new THREE.Matrix4());
  const own = scene.bodies.map((body) => (body.frame === undefined ? matrixOf(body.pose) : pose(body.frame)));
  const station = (k, index) => {
    const { bend } = scene.bodies[k], rest = new THREE.Vector3(...bend.at.slice(3 * index, 3 * index + 3));
    return exaggerated(own[k], pose(bend.frame + index), rest, factor);
  };
  // how a place on a body moves against the body
  const move = (k, at) => {
    const body = scene.bodies[k];
    if (!isBent(body)) return new THREE.Matrix4();
    const index = stationAt(body, at);
    return station(k, index).multiply(pose(body.bend.frame + index).invert());
  };
  drawn.set(frames);
  for (const { body, from, on, at } of tree) {
    if (from !== undefined) moves[body].copy(moves[from]).multiply(move(from, on)).multiply(move(body, at).invert());
  }
  scene.bodies.forEach((body, k) => {
    if (body.frame !== undefined) put(body.frame, moves[k].clone().multiply(own[k]));
    if (!isBent(body)) return;
    for (let index = 0; 3 * index < body.bend.at.length; index++) {
      put(body.bend.frame + index, moves[k].clone().multiply(station(k, index)));
    }
  });
  for (const one of scene.interfaces) {
    if (one.frame === undefined || one.b === undefined) continue;
    // the frame is on the second body, unless that is the ground
    const [k, at] = scene.bodies[one.b].frame === undefined ? [one.a, one.at_a] : [one.b, one.at_b];
    put(one.frame, moves[k].clone().multiply(move(k, at)).multiply(pose(one.frame)));
  }
  return moves;
}
