// shapes.js - shapes of bodies as meshes of three.js; made-up ones where there are none.
import * as THREE from 'three';
import { isBent, stationsOf } from './bend.js';
import { decodeTriangles } from './data.js';
import { parts } from './colours.js';

const up = new THREE.Vector3(0, 0, 1);

export function place(object, pose) {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[4], pose[5], pose[6], pose[3]).normalize();
}

// cylinders and capsules of three.js are along y
function alongZ(geometry) {
  return geometry.rotateX(Math.PI / 2);
}

function heightField(shape) {
  const [dx, dy] = shape.size, columns = shape.columns, rows = shape.values.length / columns;
  const geometry = new THREE.PlaneGeometry(1, 1, columns - 1, rows - 1);
  const at = geometry.attributes.position;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const k = column + columns * row; // the plane of three.js begins at its upper row
      at.setXYZ(column + columns * (rows - 1 - row), column * dx, row * dy, shape.values[k]);
    }
  }
  geometry.computeVertexNormals();
  return geometry;
}

function meshGeometry(shape, scene) {
  const text = scene.meshes?.[shape.mesh];
  if (!text) return null;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(decodeTriangles(text), 3));
  geometry.scale(shape.size[0], shape.size[1], shape.size[2]);
  geometry.computeVertexNormals();
  return geometry;
}

function pointsGeometry(shape, size) {
  const dots = [];
  for (let k = 0; k + 2 < shape.values.length; k += 3) {
    dots.push([shape.values[k], shape.values[k + 1], shape.values[k + 2]]);
  }
  return { dots, radius: size / 240 };
}

function geometryOf(shape, scene) {
  const s = shape.size;
  switch (shape.kind) {
    case 'box': return new THREE.BoxGeometry(s[0], s[1], s[2]);
    case 'cylinder': return alongZ(new THREE.CylinderGeometry(s[0], s[0], s[1], 40));
    case 'sphere': return new THREE.SphereGeometry(s[0], 40, 24);
    case 'capsule': return alongZ(new THREE.CapsuleGeometry(s[0], s[1], 12, 32));
    case 'mesh': return meshGeometry(shape, scene);
    case 'height-field': return shape.values ? heightField(shape) : null;
    default: return null;
  }
}

// A rod between two points of a body.
export function rod(from, to, radius, material) {
  const along = new THREE.Vector3().subVectors(to, from);
  const length = along.length();
  const mesh = new THREE.Mesh(alongZ(new THREE.CylinderGeometry(radius, radius, length, 20)), material);
  mesh.position.copy(from).addScaledVector(along, 0.5);
  if (length > 0) mesh.quaternion.setFromUnitVectors(up, along.normalize());
  return mesh;
}

// Sides of a box with this mass and these moments of inertia, but no larger than bodies are apart;
// those of a rod have a least width.
function inertiaBox(body, extent) {
  const [xx, yy, zz] = body.inertia;
  const side = (a) => Math.sqrt(Math.max(0, (6 * a) / body.mass));
  const sides = [side(yy + zz - xx), side(xx + zz - yy), side(xx + yy - zz)];
  const most = Math.max(...sides), scale = extent > 0 ? Math.min(1, extent / 6 / most) : 1;
  return most > 0 ? sides.map((a) => scale * Math.max(a, most / 12)) : null;
}

// What a body without shapes is drawn as: rods from its centre to its joints, or the box of its
// inertia.
function madeUp(body, anchors, size, extent, material) {
  const group = new THREE.Group();
  const centre = new THREE.Vector3(...(body.centre ?? [0, 0, 0]));
  const far = anchors.filter((at) => at.distanceTo(centre) > size / 400);
  const box = body.mass ? inertiaBox(body, extent) : null;
  if (far.length > 0) {
    const reach = Math.max(...far.map((at) => at.distanceTo(centre)));
    const radius = Math.max(Math.min(reach / 7, size / 50), size / 400);
    const ends = far.length === 2 && isStraight(far, centre) ? [[far[0], far[1]]]
      : far.map((at) => [centre, at]);
    for (const [a, b] of ends) group.add(rod(a, b, radius, material));
    const knob = new THREE.SphereGeometry(radius * (ends[0][0] === centre ? 1.9 : 1.35), 24, 16);
    for (const at of far) addAt(group, new THREE.Mesh(knob, material), at, 0.7);
    addAt(group, new THREE.Mesh(knob, material), centre, 1);
  } else if (box && Math.max(...box) < 4 * size) {
    addAt(group, new THREE.Mesh(new THREE.BoxGeometry(...box), material), centre, 1);
  } else {
    const side = size / 28;
    addAt(group, new THREE.Mesh(new THREE.BoxGeometry(side, side, side), material), centre, 1);
  }
  return group;
}

function isStraight([a, b], centre) {
  const one = new THREE.Vector3().subVectors(a, centre).normalize();
  const other = new THREE.Vector3().subVectors(b, centre).normalize();
  return one.dot(other) < -0.98;
}

function addAt(group, mesh, at, scale) {
  mesh.position.copy(at);
  mesh.scale.setScalar(scale);
  group.add(mesh);
}

const subsystems = (scene) =>
  [...new Set(scene.bodies.filter((body) => body.frame !== undefined).map((body) => body.subsystem))];

export function colourOf(scene, name) {
  return parts[Math.max(0, subsystems(scene).indexOf(name)) % parts.length];
}

// The colour that stands for a subsystem: its own, or that of its shapes if they bring colours.
export function keyColour(scene, name) {
  const shapes = scene.bodies.filter((body) => body.subsystem === name && body.frame !== undefined).flatMap(shown);
  const plain = shapes.length === 0 || shapes.some((shape) => !shape.colour);
  return plain ? colourOf(scene, name) : `rgb(${shapes[0].colour.slice(0, 3).map((part) => Math.round(255 * part)).join(' ')})`;
}

// Of a single subsystem, neighbours have different colours.
function colourOfBody(scene, index) {
  const body = scene.bodies[index];
  if (subsystems(scene).length > 1) return colourOf(scene, body.subsystem);
  const moving = scene.bodies.filter((other) => other.frame !== undefined);
  return parts[Math.max(0, moving.indexOf(body)) % 4];
}

function materialOf(shape, colour, ghost) {
  const given = shape?.colour;
  const tint = given ? new THREE.Color().setRGB(given[0], given[1], given[2], THREE.SRGBColorSpace)
    : new THREE.Color(colour);
  const alpha = ghost ? 0.22 : given ? given[3] : 1;
  return new THREE.MeshStandardMaterial({
    color: ghost ? new THREE.Color('#8899aa') : tint, roughness: 0.62, metalness: 0.08,
    transparent: alpha < 1, opacity: alpha, depthWrite: alpha > 0.5, side: THREE.DoubleSide,
  });
}

// Shapes to be seen go before those that touch.
function shown(body) {
  const solid = body.shapes.filter((s) => s.kind !== 'plane' && s.kind !== 'points'
    && !(s.kind === 'mesh' && s.mesh === undefined));
  const seen = solid.filter((s) => !s.collision);
  return seen.length > 0 ? seen : solid;
}

// Massless bodies are mere frames, but where nothing is known of masses: ports of a plug-in.
function isBody(scene, body) {
  return body.mass > 0 || !scene.bodies.some((other) => other.subsystem === body.subsystem && other.mass > 0);
}

function anchorsOf(index, links) {
  const anchors = [];
  for (const link of links) {
    if (link.a === index) anchors.push(new THREE.Vector3(...link.at_a));
    if (link.b === index) anchors.push(new THREE.Vector3(...link.at_b));
  }
  return anchors;
}

// Thin rods to joints that lie outside of all shapes of a body: a pendulum is more than its bob.
function addStays(group, body, anchors, size, ghost) {
  const box = new THREE.Box3().setFromObject(group), centre = new THREE.Vector3(...(body.centre ?? [0, 0, 0]));
  box.expandByScalar(size / 50);
  const material = materialOf(null, '#8b939e', ghost);
  for (const at of distinct(anchors, size)) {
    if (!box.containsPoint(at)) group.add(rod(at, centre, size / 220, material));
  }
}

// A joint that holds a point of the body: what slides is not on an arm.
const holding = new Set(['revolute', 'continuous', 'ball', 'spherical', 'universal', 'weld', 'fixed', 'distance']);
const holdsPoint = (joint) => holding.has(joint.kind);

// Rods from node to node, each to the nearest of those before it.
function nodeRods(stations, size, material) {
  const group = new THREE.Group(), radius = size / 160;
  stations.forEach((at, k) => {
    const before = stations.slice(0, k).sort((a, b) => a.distanceTo(at) - b.distanceTo(at));
    if (k > 0) group.add(rod(before[0], at, radius, material));
    addAt(group, new THREE.Mesh(new THREE.SphereGeometry(2 * radius, 16, 12), material), at, 1);
  });
  return group;
}

// A body that bends, without shapes: a beam of the radius that its inertia asks for, or rods
// between its nodes.
function bentMadeUp(body, size, material) {
  const stations = stationsOf(body), axis = body.bend.axis;
  if (!axis) return nodeRods(stations, size, material);
  const first = stations[0], last = stations[stations.length - 1], length = first.distanceTo(last);
  const [xx, yy, zz, xy, xz, yz] = body.inertia ?? [0, 0, 0, 0, 0, 0], [x, y, z] = axis;
  const about = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
  const radius = body.mass > 0 ? Math.sqrt(Math.max(0, (2 * about) / body.mass)) : 0;
  return rod(first, last, Math.min(Math.max(radius, length / 120, size / 500), length / 8), material);
}

function addMadeUp(group, scene, index, size, ghost, isSolid) {
  const body = scene.bodies[index];
  if (isBent(body)) {
    if (isSolid) return;
    group.add(bentMadeUp(body, size, materialOf(null, colourOfBody(scene, index), ghost)));
  } else if (isSolid) {
    addStays(group, body, anchorsOf(index, scene.joints.filter(holdsPoint)), size, ghost);
  } else if (isBody(scene, body)) {
    const anchors = anchorsOf(index, [...scene.joints.filter(holdsPoint), ...scene.springs]);
    for (const marker of scene.markers) {
      if (marker.body === index) anchors.push(new THREE.Vector3(...marker.pose.slice(0, 3)));
    }
    for (const shape of body.shapes) {
      if (shape.kind === 'points' && shape.values) anchors.push(...pointsGeometry(shape, size).dots.map((at) => new THREE.Vector3(...at)));
    }
    const material = materialOf(null, colourOfBody(scene, index), ghost);
    group.add(madeUp(body, distinct(anchors, size), size, scene.extent, material));
  }
}

// All that moves with a body, in its own frame.
export function drawBody(scene, index, size, ghost) {
  const body = scene.bodies[index];
  const group = new THREE.Group();
  const colour = colourOfBody(scene, index);
  group.name = body.name;
  for (const shape of shown(body)) {
    const geometry = geometryOf(shape, scene);
    if (!geometry) continue;
    const mesh = new THREE.Mesh(geometry, materialOf(shape, colour, ghost));
    place(mesh, shape.pose);
    group.add(mesh);
    if (!ghost && shape.kind === 'box' && !isBent(body)) addEdges(mesh);
  }
  const isSolid = group.children.length > 0; // points alone do not make a body
  for (const shape of body.shapes) {
    if (shape.kind !== 'points' || !shape.values || ghost) continue;
    const { dots, radius } = pointsGeometry(shape, size);
    const dot = new THREE.SphereGeometry(radius, 12, 8);
    const material = new THREE.MeshBasicMaterial({ color: '#40464e' });
    for (const at of dots) addAt(group, new THREE.Mesh(dot, material), new THREE.Vector3(...at), 1);
  }
  if (body.frame !== undefined) addMadeUp(group, scene, index, size, ghost, isSolid);
  group.traverse((object) => {
    if (object.isMesh && !ghost) object.castShadow = object.receiveShadow = true;
  });
  return group;
}

function distinct(points, size) {
  const kept = [];
  for (const at of points) {
    if (!kept.some((other) => other.distanceTo(at) < size / 1000)) kept.push(at);
  }
  return kept;
}

function addEdges(mesh) {
  const edges = new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 30),
    new THREE.LineBasicMaterial({ color: '#20242a', transparent: true, opacity: 0.28 }));
  mesh.add(edges);
}

// How far shapes of a body reach from its origin; planes do not count.
export function reachOf(body) {
  let reach = 0;
  for (const shape of body.shapes) {
    const off = Math.hypot(shape.pose[0], shape.pose[1], shape.pose[2]);
    const s = shape.size;
    if (shape.kind === 'box') reach = Math.max(reach, off + Math.hypot(...s) / 2);
    if (shape.kind === 'sphere') reach = Math.max(reach, off + s[0]);
    if (shape.kind === 'cylinder') reach = Math.max(reach, off + Math.hypot(s[0], s[1] / 2));
    if (shape.kind === 'capsule') reach = Math.max(reach, off + s[0] + s[1] / 2);
    if (shape.kind === 'points' && shape.values) {
      for (let k = 0; k + 2 < shape.values.length; k += 3) {
        reach = Math.max(reach, Math.hypot(shape.values[k], shape.values[k + 1], shape.values[k + 2]));
      }
    }
  }
  return reach;
}
