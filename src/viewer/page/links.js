// links.js - springs, dampers, bushings and gears, drawn between the bodies that they join.
import * as THREE from 'three';
import { place } from './shapes.js';

const up = new THREE.Vector3(0, 0, 1);
const METAL = '#7a828d', RUBBER = '#4a4f57';

const materialOf = (color, ghost) => new THREE.MeshStandardMaterial({
  color, roughness: 0.5, metalness: 0.2, transparent: ghost, opacity: ghost ? 0.25 : 1, depthWrite: !ghost });

class Path extends THREE.Curve {
  constructor(at) {
    super();
    this.at = at;
  }

  getPoint(part, target = new THREE.Vector3()) {
    return target.set(...this.at(part));
  }
}

// A coil along z: straight ends, nine turns.
function coil(radius, length, thick) {
  return new THREE.TubeGeometry(new Path((part) => {
    const inner = Math.min(1, Math.max(0, (part - 0.1) / 0.8)), angle = 18 * Math.PI * inner;
    const wide = radius * Math.min(1, 12 * Math.min(inner, 1 - inner));
    return [wide * Math.cos(angle), wide * Math.sin(angle), length * part];
  }), 270, thick, 6);
}

// A flat spiral about z.
function spiral(radius, thick) {
  return new THREE.TubeGeometry(new Path((part) => {
    const angle = 7 * Math.PI * part, r = radius * (0.25 + 0.75 * part);
    return [r * Math.cos(angle), r * Math.sin(angle), 0];
  }), 160, thick, 6);
}

// What lies between two points: made for the distance at first, then stretched.
class Stretched {
  constructor(spring, size, ghost, group) {
    Object.assign(this, { spring, size, group: new THREE.Group() });
    this.material = materialOf(METAL, ghost);
    this.group.name = spring.name;
    group.add(this.group);
  }

  make(length) {
    for (const old of this.group.children) old.geometry.dispose();
    this.group.clear();
    const radius = Math.min(this.size / 60, length / 4), thick = this.size / 450;
    const add = (geometry) => this.group.add(new THREE.Mesh(geometry, this.material));
    if (this.spring.kind !== 'damper') { add(coil(radius, length, thick)); return; }
    add(new THREE.CylinderGeometry(radius, radius, 0.5 * length, 24).rotateX(Math.PI / 2).translate(0, 0, 0.3 * length));
    add(new THREE.CylinderGeometry(radius / 3, radius / 3, length, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5 * length));
  }

  hide(hidden) {
    this.hidden = hidden;
    this.group.visible = !hidden && Boolean(this.length);
  }

  // ends of a sliding spring whose frames meet at the start are the bodies themselves
  ends(actor) {
    const { a, b, at_a, at_b, kind } = this.spring, { bodies } = actor.scene;
    if (kind !== 'slide' || actor.point(a, at_a).distanceTo(actor.point(b, at_b)) > this.size / 100) return [at_a, at_b];
    return [[a, at_a], [b, at_b]].map(([k, at]) => (bodies[k].frame === undefined ? at : bodies[k].centre ?? at));
  }

  show(actor) {
    this.at ??= this.ends(actor);
    const a = actor.point(this.spring.a, this.at[0]), b = actor.point(this.spring.b, this.at[1]);
    const along = b.sub(a), length = along.length();
    this.group.visible = !this.hidden && length > this.size / 250;
    if (!this.group.visible) return;
    // a coil that is stretched too far would be made of ribbons
    if (!this.length || length > 2 * this.length || length < 0.5 * this.length) this.make(this.length = length);
    this.group.position.copy(a);
    this.group.quaternion.setFromUnitVectors(up, along.normalize());
    this.group.scale.set(1, 1, length / this.length);
  }
}

// A spiral or a ring of rubber about an axis, where the first body has it.
class Ring {
  constructor(spring, size, ghost, group) {
    this.spring = spring;
    this.axis = new THREE.Vector3(...spring.axis).normalize();
    this.mesh = new THREE.Mesh(spring.kind === 'bushing' ? new THREE.TorusGeometry(size / 50, size / 110, 12, 32)
      : spiral(size / 36, size / 450), materialOf(spring.kind === 'bushing' ? RUBBER : METAL, ghost));
    this.mesh.name = spring.name;
    group.add(this.mesh);
  }

  hide(hidden) {
    this.mesh.visible = !hidden;
  }

  show(actor) {
    this.mesh.position.copy(actor.point(this.spring.a, this.spring.at_a));
    const turn = actor.holder(this.spring.a, this.spring.at_a)[0].getWorldQuaternion(new THREE.Quaternion());
    this.mesh.quaternion.setFromUnitVectors(up, this.axis.clone().applyQuaternion(turn));
  }
}

// --- gears ---

// A disc with teeth about z.
function wheel(radius, pitch, thick) {
  const count = Math.min(240, Math.max(6, Math.round((2 * Math.PI * radius) / pitch))), shape = new THREE.Shape();
  const tall = Math.min(pitch / 3, radius / 3);
  for (let k = 0; k < 4 * count; k++) {
    const angle = (2 * Math.PI * (k + (k % 2 ? 0.2 : -0.2))) / (4 * count), r = radius + (k % 4 < 2 ? tall / 2 : -tall / 2);
    shape[k === 0 ? 'moveTo' : 'lineTo'](r * Math.cos(angle), r * Math.sin(angle));
  }
  const hole = new THREE.Path();
  hole.absarc(0, 0, radius * 0.72 - tall / 2, 0, 2 * Math.PI);
  shape.holes.push(hole);
  return new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: false }).translate(0, 0, -thick / 2);
}

// A bar with teeth along z, which look along x.
function bar(pitch, length, thick) {
  const shape = new THREE.Shape(), count = Math.max(6, Math.round(length / pitch)), tall = pitch / 3;
  shape.moveTo(-2 * tall, -length / 2);
  for (let k = 0; k < count; k++) {
    const y = length * (k / count - 0.5), step = length / count;
    shape.lineTo(-tall / 2, y).lineTo(tall / 2, y + 0.15 * step).lineTo(tall / 2, y + 0.5 * step).lineTo(-tall / 2, y + 0.65 * step);
  }
  shape.lineTo(-tall / 2, length / 2).lineTo(-2 * tall, length / 2);
  return new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: false }).translate(0, 0, -thick / 2).rotateX(Math.PI / 2);
}

// Radii of two wheels, by their ratio and how far apart their axes are; any, if these do not fit.
export function radiiOf(ratio, apart, parallel, size) {
  const other = Math.abs(ratio), outside = ratio * (parallel < 0 ? -1 : 1) > 0;
  const first = outside ? apart / (1 + other) : apart / Math.abs(1 - other);
  const radii = [first, first * other];
  const fits = Math.abs(parallel) > 0.99 && radii.every((r) => r > size / 300 && r < size / 2);
  const largest = Math.max(1, other);
  return fits ? radii : [1, other].map((r) => Math.max((size / 16) * (r / largest), size / 120));
}

class Gear {
  constructor(gear, size, ghost) {
    Object.assign(this, { gear, size, material: materialOf('#8d857a', ghost) });
  }

  // the end that moves: the second, unless it is the ground
  end(actor, k) {
    const { bodies, poses } = this.gear.of[k];
    const e = actor.scene.bodies[bodies[1]]?.frame === undefined && actor.scene.bodies[bodies[0]]?.frame !== undefined ? 0 : 1;
    return { body: bodies[e], pose: poses[e] };
  }

  make(actor) {
    const ends = [0, 1].map((k) => this.end(actor, k)), parts = this.gear.of;
    const places = ends.map(({ body, pose }) => actor.point(body, pose));
    const axes = ends.map(({ body, pose }) => up.clone().applyQuaternion(new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]))
      .applyQuaternion(actor.holder(body, pose)[0].getWorldQuaternion(new THREE.Quaternion())));
    const between = places[1].clone().sub(places[0]);
    const apart = between.clone().addScaledVector(axes[0], -between.dot(axes[0])).length();
    const pinion = parts.findIndex((one) => one.turns), straight = parts.findIndex((one) => !one.turns);
    let radii = straight < 0 ? radiiOf(parts[1].factor / parts[0].factor, apart, axes[0].dot(axes[1]), this.size) : [];
    if (straight >= 0) {
      const radius = Math.abs(parts[pinion].factor / parts[straight].factor);
      radii[pinion] = Math.min(Math.max(radius, this.size / 200), this.size / 4);
    }
    const least = Math.min(...radii.filter(Boolean)), pitch = (2 * Math.PI * least) / 18, thick = this.size / 100;
    this.meshes = ends.map(({ body, pose }, k) => {
      const mesh = new THREE.Mesh(k === straight ? bar(pitch, Math.min(8 * least, this.size / 2), thick) : wheel(radii[k], pitch, thick), this.material);
      const [holder, rest] = actor.holder(body, pose);
      place(mesh, pose);
      mesh.position.sub(rest);
      mesh.name = this.gear.name;
      mesh.castShadow = !this.material.transparent;
      holder.add(mesh);
      return mesh;
    });
    this.radii = radii;
  }

  hide(hidden) {
    this.hidden = hidden;
    for (const mesh of this.meshes ?? []) mesh.visible = !hidden;
  }

  show(actor) {
    if (this.meshes) return;
    this.make(actor);
    this.hide(this.hidden);
  }
}

export function drawLinks(scene, size, ghost, group) {
  const springs = scene.springs.flatMap((spring) => [
    ...(spring.kind === 'angle' || spring.kind === 'bushing' ? [new Ring(spring, size, ghost, group)] : []),
    ...(spring.kind === 'angle' ? [] : [new Stretched(spring, size, ghost, group)]),
  ]);
  return [...springs, ...(scene.gears ?? []).map((gear) => new Gear(gear, size, ghost))];
}
