// actor.js - one recording in space: its bodies, and where they are at a time.
import * as THREE from 'three';
import { Skin, exaggerate, isBent, stationAt, treeOf } from './bend.js';
import { drawLinks } from './links.js';
import { drawBody, place } from './shapes.js';

export const POSE = 7;
const PREFETCH = 400;

// Turns between two recorded poses; at a recorded time it is the recorded pose, bit for bit.
function blend(a, ao, b, bo, part, out) {
  if (part === 0) {
    for (let k = 0; k < POSE; k++) out[k] = a[ao + k];
    return out;
  }
  let dot = 0;
  for (let k = 3; k < POSE; k++) dot += a[ao + k] * b[bo + k];
  const sign = dot < 0 ? -1 : 1;
  let norm = 0;
  for (let k = 0; k < POSE; k++) {
    out[k] = a[ao + k] * (1 - part) + b[bo + k] * part * (k < 3 ? 1 : sign);
    if (k >= 3) norm += out[k] * out[k];
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = 3; k < POSE; k++) out[k] /= norm;
  return out;
}

export class Actor {
  constructor(recording, size, ghost) {
    this.recording = recording;
    this.scene = recording.scene;
    this.group = new THREE.Group();
    this.bodies = this.scene.bodies.map((body, k) => {
      const object = drawBody(this.scene, k, size, ghost);
      if (body.frame === undefined) place(object, body.pose);
      this.group.add(object);
      return object;
    });
    this.skins = this.scene.bodies.map((body, k) => (isBent(body) ? new Skin(body, this.bodies[k], this.group) : null));
    this.group.updateMatrixWorld(true);
    this.links = drawLinks(this.scene, size, ghost, this.group);
    this.frames = new Float64Array(POSE * this.scene.frames); // as they are recorded
    this.drawn = this.frames; // as they are drawn: deflections may be exaggerated
    this.scratch = new Float64Array(POSE);
    this.factor = 1;
    this.moves = null;
  }

  get bends() {
    return this.skins.some(Boolean);
  }

  // deflections are drawn so many times as large
  exaggerateBy(factor) {
    this.factor = factor;
    this.drawn = factor === 1 || !this.bends ? this.frames : new Float64Array(this.frames.length);
    this.tree ??= treeOf(this.scene);
  }

  // false while the poses of that time are on their way
  show(time) {
    const poses = this.recording.poses;
    if (!poses || poses.count === 0) return true;
    const k = poses.find(time), next = Math.min(k + 1, poses.count - 1);
    const from = poses.row(k), to = poses.row(next);
    if (!poses.whole) poses.request(Math.floor((k + PREFETCH) / 512));
    if (!from) return false;
    const span = poses.time(next) - poses.time(k);
    const part = !to || span <= 0 ? 0 : Math.min(1, Math.max(0, (time - poses.time(k)) / span));
    for (let frame = 0; frame < this.scene.frames; frame++) {
      blend(from[0], from[1] + POSE * frame, (to ?? from)[0], (to ?? from)[1] + POSE * frame, part,
        this.scratch);
      this.frames.set(this.scratch, POSE * frame);
    }
    this.moves = this.drawn === this.frames ? null : exaggerate(this.scene, this.tree, this.frames, this.factor, this.drawn);
    this.placeAll();
    return true;
  }

  placeAll() {
    this.scene.bodies.forEach((body, index) => {
      if (body.frame !== undefined) place(this.bodies[index], this.poseOfFrame(body.frame));
      else if (this.moves) place(this.bodies[index], body.pose);
    });
    for (const skin of this.skins) {
      skin?.bones.forEach((bone, k) => place(bone, this.poseOfFrame(skin.body.bend.frame + k)));
    }
    this.group.updateMatrixWorld(true);
    for (const link of this.links) link.show(this);
  }

  showLinks(on) {
    for (const link of this.links) link.hide(!on);
  }

  poseOfFrame(frame) {
    return this.drawn.subarray(POSE * frame, POSE * frame + POSE);
  }

  // what a place on a body moves with, and where that rests in the body
  holder(body, at) {
    const skin = this.skins[body];
    if (!skin) return [this.bodies[body], new THREE.Vector3()];
    const k = stationAt(skin.body, at);
    return [skin.bones[k], skin.stations[k]];
  }

  point(body, at) {
    const [holder, rest] = this.holder(body, at);
    return new THREE.Vector3(at[0], at[1], at[2]).sub(rest).applyMatrix4(holder.matrixWorld);
  }

  // a point of the world that goes with a body, where deflections are exaggerated
  carried(body, at) {
    const point = new THREE.Vector3(...at);
    return this.moves && body >= 0 ? point.applyMatrix4(this.moves[body]) : point;
  }
}
