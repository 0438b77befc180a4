// space.js - the view in space: bodies, ghost, contacts, interfaces, ellipsoids; camera and lights.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Actor, POSE } from './actor.js';
import { firstDirection } from './camera.js';
import { place, reachOf, rod } from './shapes.js';
import { curve, isDark, token } from './colours.js';

const INTERFACE_ARROWS = 256;
const FLOOR = 0.5; // planes whose normals are so far up are floors
const up = new THREE.Vector3(0, 0, 1);

// Runs that diverge leave numbers behind that no camera should follow.
const isSensible = (pose) => Number.isFinite(pose[0] + pose[1] + pose[2]) && Math.hypot(pose[0], pose[1], pose[2]) < 1e5;

// Arrows of forces, as many as there are contacts.
class Arrows {
  constructor(group) {
    this.group = group;
    this.pool = [];
    this.shaft = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.tip = new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.dot = new THREE.SphereGeometry(1, 12, 8);
    this.materials = ['#c8322b', '#e08a00', '#c8322b'].map((color) =>
      new THREE.MeshStandardMaterial({ color, roughness: 0.5, depthTest: true }));
  }

  at(k) {
    while (this.pool.length <= k) {
      const arrow = new THREE.Group();
      for (const geometry of [this.shaft, this.tip, this.dot]) {
        arrow.add(new THREE.Mesh(geometry, this.materials[0]));
      }
      this.group.add(arrow);
      this.pool.push(arrow);
    }
    return this.pool[k];
  }

  show(k, at, force, length, thick, state) {
    const arrow = this.at(k);
    arrow.visible = true;
    arrow.position.set(...at);
    const along = new THREE.Vector3(...force);
    if (along.lengthSq() > 0) arrow.quaternion.setFromUnitVectors(up, along.normalize());
    const [shaft, tip, dot] = arrow.children, head = Math.min(4.5 * thick, 0.6 * length);
    shaft.visible = tip.visible = length > thick / 2;
    shaft.scale.set(thick, thick, Math.max(length - head, 1e-9));
    tip.position.z = Math.max(length - head, 0);
    tip.scale.set(2.2 * thick, 2.2 * thick, Math.max(head, 1e-9));
    dot.scale.setScalar(1.5 * thick);
    for (const part of arrow.children) part.material = this.materials[state] ?? this.materials[0];
  }

  hideFrom(k) {
    for (; k < this.pool.length; k++) this.pool[k].visible = false;
  }
}

// The effective mass of translation over all directions, r(u) = 1 / (u . D u).
class Ellipsoid {
  constructor(group, colour) {
    this.geometry = new THREE.SphereGeometry(1, 48, 32);
    this.directions = this.geometry.attributes.position.array.slice();
    this.mesh = new THREE.Mesh(this.geometry, new THREE.MeshStandardMaterial({
      color: colour, transparent: true, opacity: 0.3, depthWrite: false, side: THREE.DoubleSide }));
    group.add(this.mesh);
  }

  static mass(D, x, y, z) {
    const give = D[0] * x * x + D[1] * y * y + D[2] * z * z
      + 2 * (D[3] * x * y + D[4] * x * z + D[5] * y * z);
    return 1 / Math.max(give, 1e-12 * Math.max(D[0], D[1], D[2], 1e-300));
  }

  show(D, scale, most) {
    const at = this.geometry.attributes.position;
    for (let k = 0; k < at.count; k++) {
      const [x, y, z] = this.directions.subarray(3 * k, 3 * k + 3);
      const r = Math.min(Ellipsoid.mass(D, x, y, z), most) * scale;
      at.setXYZ(k, r * x, r * y, r * z);
    }
    at.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}

export class Space {
  constructor(canvas, labels) {
    this.canvas = canvas;
    this.labels = labels;
    this.layers = { contacts: true, interfaces: true, ellipsoids: false, markers: false, links: true, grid: true };
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.world = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.overlay = new THREE.Group();
    this.world.add(this.overlay);
    this.arrows = new Arrows(this.overlay);
    this.time = 0;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.light();
  }

  light() {
    this.hemisphere = new THREE.HemisphereLight('#ffffff', '#8a94a2', 1.7);
    this.sun = new THREE.DirectionalLight('#ffffff', 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0005;
    this.world.add(this.hemisphere, this.sun, this.sun.target);
  }

  // where origins of bodies come to, over all of the run: a first idea of how large the scene is
  measureOrigins(scene, rows) {
    const box = new THREE.Box3();
    for (const body of scene.bodies) {
      const reach = new THREE.Vector3().setScalar(reachOf(body) / 2);
      const poses = body.frame === undefined ? (reach.x > 0 ? [body.pose] : [])
        : rows.map((row) => row.subarray(POSE * body.frame, POSE * body.frame + 3));
      for (const at of poses) {
        if (!isSensible(at)) continue;
        const centre = new THREE.Vector3(at[0], at[1], at[2]);
        box.expandByPoint(centre.clone().add(reach)).expandByPoint(centre.sub(reach));
      }
    }
    return box;
  }

  // the box around all that is drawn and moves, over all of the run
  async measure(recording) {
    const { scene } = recording;
    const rows = recording.poses ? await recording.poses.sample(24) : [];
    const rough = this.measureOrigins(scene, rows);
    const extent = rough.isEmpty() ? 0 : rough.getSize(new THREE.Vector3()).length(), size = extent || 1;
    scene.extent = extent; // made-up bodies are small against it
    const actor = new Actor(recording, size, false), box = new THREE.Box3();
    for (const row of rows.length > 0 ? rows : [null]) {
      scene.bodies.forEach((body, k) => {
        if (body.frame !== undefined && row) {
          const pose = row.subarray(POSE * body.frame, POSE * (body.frame + 1));
          if (!isSensible(pose)) return;
          place(actor.bodies[k], pose);
        }
        if (actor.skins[k] && row) this.measureBent(actor.skins[k], row, box);
        if (actor.bodies[k].children.length > 0) box.expandByObject(actor.bodies[k]);
      });
    }
    for (const joint of scene.joints) {
      const body = scene.bodies[joint.a];
      if (body.frame !== undefined) continue;
      actor.bodies[joint.a].updateMatrixWorld(true);
      box.expandByPoint(actor.point(joint.a, joint.at_a));
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    const points = this.pointsOf(scene, rows);
    this.places = points.flat();
    this.direction = firstDirection(box.getSize(new THREE.Vector3()), points, this.wallsOf(actor));
    return box;
  }

  // where bodies are, at a few times
  pointsOf(scene, rows) {
    const frames = scene.bodies.filter((body) => body.frame !== undefined).map((body) => body.frame);
    return rows.filter((_, k) => k % 4 === 0).map((row) => frames.map((frame) => row.subarray(POSE * frame, POSE * frame + 3))
      .filter(isSensible).map((at) => new THREE.Vector3(at[0], at[1], at[2])));
  }

  // normals of planes that are no floor
  wallsOf(actor) {
    const walls = [];
    actor.group.updateMatrixWorld(true);
    actor.scene.bodies.forEach((body, k) => {
      for (const shape of body.shapes) {
        if (shape.kind !== 'plane') continue;
        const frame = new THREE.Object3D();
        place(frame, shape.pose);
        const normal = up.clone().applyQuaternion(frame.quaternion).applyQuaternion(actor.bodies[k].quaternion);
        if (normal.z < FLOOR) walls.push(normal);
      }
    });
    return walls;
  }

  measureBent(skin, row, box) {
    const reach = new THREE.Vector3().setScalar(skin.reach);
    skin.stations.forEach((_, k) => {
      const pose = row.subarray(POSE * (skin.body.bend.frame + k), POSE * (skin.body.bend.frame + k + 1));
      if (!isSensible(pose)) return;
      const at = new THREE.Vector3(pose[0], pose[1], pose[2]);
      box.expandByPoint(at.clone().add(reach)).expandByPoint(at.sub(reach));
    });
  }

  async open(recordings, shown, ghost) {
    this.box = await this.measure(shown);
    this.size = Math.max(this.box.getSize(new THREE.Vector3()).length(), 1e-3);
    this.camera.near = this.size / 200;
    this.camera.far = this.size * 60;
    this.choose(shown, ghost);
    this.drawGround();
    this.placeSun();
    this.look('corner');
    this.resize();
  }

  choose(shown, ghost) {
    if (this.actor) this.world.remove(this.actor.group);
    if (this.ghost) this.world.remove(this.ghost.group);
    this.actor = new Actor(shown, this.size, false);
    this.ghost = ghost ? new Actor(ghost, this.size, true) : null;
    this.world.add(this.actor.group);
    if (this.ghost) this.world.add(this.ghost.group);
    this.exaggerateBy(this.factor ?? 1);
    for (const one of [shown, ghost]) if (one) one.onPiece = () => { this.show(this.time); };
    this.drawInterfaces();
    this.drawMarkers();
    this.openContacts();
    this.openAdmittances();
    this.lastTarget = null;
    this.show(this.time);
  }

  get bends() {
    return this.actor.bends || Boolean(this.ghost?.bends);
  }

  // deflections of bodies that bend are drawn so many times as large
  exaggerateBy(factor) {
    this.factor = factor;
    for (const actor of [this.actor, this.ghost]) actor?.exaggerateBy(factor);
  }

  drawGround() {
    if (this.ground) this.world.remove(this.ground);
    this.ground = new THREE.Group();
    this.world.add(this.ground);
    const size = this.box.getSize(new THREE.Vector3()), centre = this.box.getCenter(new THREE.Vector3());
    const wide = 1.7 * Math.max(size.x, size.y, 0.5 * size.z, this.size / 3);
    let floors = 0;
    this.actor.scene.bodies.forEach((body, index) => {
      for (const shape of body.shapes) {
        if (shape.kind !== 'plane') continue;
        floors += this.addPlane(this.actor.bodies[index], shape, centre, wide) ? 1 : 0;
      }
    });
    if (floors === 0) this.addFloor(centre, wide);
    this.grid = this.ground.children.filter((object) => object.isGrid);
    this.applyLayers();
  }

  // a part of an infinite plane, under the middle of the scene; true if it is a floor
  addPlane(owner, shape, centre, wide) {
    const frame = new THREE.Object3D();
    place(frame, shape.pose);
    owner.updateMatrixWorld(true);
    frame.applyMatrix4(owner.matrixWorld);
    const normal = up.clone().applyQuaternion(frame.quaternion);
    const near = normal.z >= FLOOR ? centre : this.nearestTo(frame.position, normal) ?? centre;
    const at = near.clone().addScaledVector(normal, -normal.dot(near.clone().sub(frame.position)));
    const isFloor = normal.z >= FLOOR, grid = this.gridOn(at, frame.quaternion, isFloor ? wide : wide / 3);
    // a wall must not hide what is behind it
    const plane = new THREE.Mesh(new THREE.PlaneGeometry(grid.width, grid.width), new THREE.MeshStandardMaterial({
      color: token('--floor'), roughness: 1, side: THREE.DoubleSide, polygonOffset: true,
      polygonOffsetFactor: 1, polygonOffsetUnits: 1, transparent: !isFloor, opacity: isFloor ? 1 : 0.55, depthWrite: isFloor }));
    plane.receiveShadow = isFloor;
    plane.position.copy(at);
    plane.quaternion.copy(frame.quaternion);
    this.ground.add(plane, grid);
    return isFloor;
  }

  // the body that comes nearest to a wall
  nearestTo(at, normal) {
    let least = Infinity, nearest = null;
    for (const point of this.places ?? []) {
      const far = Math.abs(normal.dot(point.clone().sub(at)));
      if (far < least) { least = far; nearest = point; }
    }
    return nearest;
  }

  addFloor(centre, wide) {
    const at = new THREE.Vector3(centre.x, centre.y, this.box.min.z - this.size * 0.02);
    this.ground.add(this.gridOn(at, new THREE.Quaternion(), wide));
  }

  // lines at round distances
  gridOn(at, turn, wide) {
    const power = 10 ** Math.floor(Math.log10(wide / 8)), part = wide / 8 / power;
    const step = power * (part < 2 ? 1 : part < 5 ? 2 : 5), count = 2 * Math.ceil(wide / 2 / step);
    const grid = new THREE.GridHelper(count * step, count, token('--soft'), token('--soft'));
    grid.material.transparent = true;
    grid.material.opacity = isDark() ? 0.28 : 0.22;
    grid.material.depthWrite = false;
    grid.rotateX(Math.PI / 2);
    const group = new THREE.Group();
    group.add(grid);
    group.position.copy(at);
    group.quaternion.copy(turn);
    group.isGrid = true;
    group.width = count * step;
    this.gridStep = step;
    return group;
  }

  placeSun() {
    const centre = this.box.getCenter(new THREE.Vector3()), far = this.size;
    this.sun.position.set(centre.x - 0.5 * far, centre.y - 0.7 * far, centre.z + 1.3 * far);
    this.sun.target.position.copy(centre);
    const eye = this.sun.shadow.camera;
    eye.left = eye.bottom = -0.85 * far;
    eye.right = eye.top = 0.85 * far;
    eye.near = far / 100;
    eye.far = 5 * far;
    eye.updateProjectionMatrix();
    this.sun.shadow.normalBias = far / 2000;
  }

  drawInterfaces() {
    for (const old of this.axes ?? []) this.overlay.remove(old.object);
    this.axes = [];
    for (const one of this.actor.scene.interfaces) {
      if (one.frame === undefined) continue;
      const object = new THREE.Group(), length = this.size / 14;
      ['#d0312d', '#2e8b57', '#2f6fd0'].forEach((color, k) => {
        const end = new THREE.Vector3().setComponent(k, length);
        object.add(rod(new THREE.Vector3(), end, length / 34,
          new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true })));
      });
      object.children.forEach((part) => { part.renderOrder = 5; });
      this.overlay.add(object);
      this.axes.push({ object, frame: one.frame, name: one.name });
    }
  }

  drawMarkers() {
    for (const old of this.dots ?? []) old.object.parent?.remove(old.object);
    const material = new THREE.MeshBasicMaterial({ color: '#c02f7b', depthTest: false, transparent: true });
    this.dots = this.actor.scene.markers.map((marker) => {
      const object = new THREE.Mesh(new THREE.SphereGeometry(this.size / 220, 12, 8), material);
      object.renderOrder = 6;
      const [holder, rest] = this.actor.holder(marker.body, marker.pose);
      object.position.set(...marker.pose.slice(0, 3)).sub(rest);
      holder.add(object);
      return { object, name: marker.name.split('/').pop() };
    });
    this.applyLayers();
  }

  async openContacts() {
    const recording = this.actor.recording;
    this.contacts = null;
    const list = await recording.contacts();
    if (recording !== this.actor.recording || !list) return;
    const sizes = [];
    for (let k = 0; k < list.rows; k++) {
      const o = k * list.width;
      sizes.push(Math.hypot(list.values[o + 7], list.values[o + 8], list.values[o + 9]));
    }
    sizes.sort((a, b) => a - b);
    this.touched = this.actor.scene.touching.map((name) => this.bodyOf(name));
    this.standing = this.touched.map((body) => body < 0 || this.actor.scene.bodies[body].frame === undefined);
    this.contacts = list;
    this.typicalForce = sizes[Math.floor(0.95 * (sizes.length - 1))] || 1;
    this.show(this.time);
  }

  // the body that a shape is on
  bodyOf(name) {
    const { bodies } = this.actor.scene;
    let found = -1;
    bodies.forEach((body, k) => {
      const is = name === body.name || name.startsWith(`${body.name}/`);
      if (is && (found < 0 || body.name.length > bodies[found].name.length)) found = k;
    });
    return found;
  }

  async openAdmittances() {
    const recording = this.actor.recording;
    for (const old of this.ellipsoids ?? []) this.overlay.remove(old.mesh);
    this.ellipsoids = [];
    this.admittances = null;
    const values = await recording.named('@view/admittances');
    if (recording !== this.actor.recording || !values) return;
    this.admittances = values;
    this.ellipsoids = this.actor.scene.sides.map((side, k) => new Ellipsoid(this.overlay, curve(k)));
    let most = 0;
    for (let k = 0; k + 5 < values.length; k += 6) {
      const D = values.subarray(k, k + 6);
      for (const [x, y, z] of [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) {
        const mass = Ellipsoid.mass(D, x, y, z);
        if (mass < 1e9) most = Math.max(most, mass);
      }
    }
    this.largestMass = most || 1;
    this.show(this.time);
  }

  showContacts() {
    let count = 0;
    const list = this.contacts;
    if (list && this.layers.contacts) {
      const row = this.actor.recording.rowAt(this.time);
      const end = Math.min(list.starts[row + 1], list.starts[row] + INTERFACE_ARROWS);
      for (let k = list.starts[row]; k < end; k++) {
        const v = list.values.subarray(k * list.width, (k + 1) * list.width);
        // on the second shape; where that does not move, on the first
        const sign = this.standing[v[2]] && !this.standing[v[1]] ? -1 : 1;
        const force = [sign * v[7], sign * v[8], sign * v[9]], size = Math.hypot(...force);
        const length = Math.min(2.2, size / this.typicalForce) * this.size / 9;
        const at = this.actor.carried(this.touched[sign < 0 ? v[1] : v[2]], [v[4], v[5], v[6]]);
        this.arrows.show(count++, at.toArray(), force, length, this.size / 420, v[11]);
      }
    }
    this.arrows.hideFrom(count);
    this.contactCount = count;
  }

  showInterfaces() {
    for (const one of this.axes) {
      one.object.visible = this.layers.interfaces;
      place(one.object, this.actor.poseOfFrame(one.frame));
    }
  }

  showEllipsoids() {
    if (!this.admittances) return;
    const width = 6 * this.actor.scene.sides.length, recording = this.actor.recording;
    let row = Math.round(recording.rowAt(this.time) / recording.every / (recording.thin ?? 1));
    row = Math.min(row, this.admittances.length / width - 1);
    while (row > 0 && !Number.isFinite(this.admittances[row * width])) row--;
    this.ellipsoids.forEach((ellipsoid, k) => {
      const D = this.admittances.subarray(row * width + 6 * k, row * width + 6 * k + 6);
      const side = this.actor.scene.sides[k], frame = this.actor.scene.interfaces[side.interface].frame;
      ellipsoid.mesh.visible = this.layers.ellipsoids && frame !== undefined && Number.isFinite(D[0]);
      if (!ellipsoid.mesh.visible) return;
      ellipsoid.show(D, this.size / 7 / this.largestMass, 1.3 * this.largestMass);
      ellipsoid.mesh.position.set(...this.actor.poseOfFrame(frame).subarray(0, 3));
    });
  }

  show(time) {
    this.time = time;
    this.waiting = !this.actor.show(time);
    if (this.ghost && !this.ghost.show(time)) this.waiting = true;
    this.showContacts();
    this.showInterfaces();
    this.showEllipsoids();
    this.goAlong();
    this.dirty = true;
  }

  // by name: runs may have their bodies in another order
  follow(name) {
    this.followed = name;
    this.lastTarget = null;
    this.goAlong();
  }

  goAlong() {
    const body = this.followed ? this.actor?.bodies.find((one) => one.name === this.followed) : null;
    if (!body) return;
    const at = body.getWorldPosition(new THREE.Vector3());
    const move = this.lastTarget ? at.clone().sub(this.lastTarget) : at.clone().sub(this.controls.target);
    this.camera.position.add(move);
    this.controls.target.add(move);
    this.controls.update();
    this.lastTarget = at;
  }

  // presets: the direction from which the scene is seen
  look(from) {
    const directions = { corner: this.direction, front: [0, -1, 0.02], side: [1, 0, 0.02], top: [0, -0.001, 1] };
    const direction = new THREE.Vector3(...(directions[from] ?? directions.corner)).normalize();
    const centre = this.box.getCenter(new THREE.Vector3());
    this.controls.target.copy(centre);
    this.fit(direction, centre);
    this.controls.update();
    this.lastTarget = null;
    this.goAlong();
    this.dirty = true;
  }

  // the nearest place from which all corners of the box are seen
  fit(direction, centre) {
    this.camera.position.copy(centre).add(direction);
    this.camera.lookAt(centre);
    this.camera.updateMatrixWorld(true);
    const inverse = this.camera.quaternion.clone().invert();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
    let far = this.size / 20;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(k & 1 ? this.box.max.x : this.box.min.x,
        k & 2 ? this.box.max.y : this.box.min.y, k & 4 ? this.box.max.z : this.box.min.z);
      corner.sub(centre).applyQuaternion(inverse);
      far = Math.max(far, corner.z + Math.abs(corner.x) / wide, corner.z + Math.abs(corner.y) / tall);
    }
    this.camera.position.copy(centre).addScaledVector(direction, 1.06 * far);
  }

  setLayer(name, on) {
    this.layers[name] = on;
    this.applyLayers();
    this.show(this.time);
  }

  applyLayers() {
    for (const grid of this.grid ?? []) grid.visible = this.layers.grid;
    for (const dot of this.dots ?? []) dot.object.visible = this.layers.markers;
    for (const actor of [this.actor, this.ghost]) actor?.showLinks(this.layers.links);
  }

  // colours of light and dark
  recolour() {
    this.drawGround();
    this.dirty = true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (clientWidth === 0 || clientHeight === 0) return;
    const before = this.camera.aspect;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    if (before === 1 && this.box) this.look('corner');
    this.dirty = true;
  }

  placeLabels() {
    const texts = [];
    if (this.layers.interfaces) for (const one of this.axes) texts.push([one.object, one.name]);
    if (this.layers.markers) for (const one of this.dots) texts.push([one.object, one.name]);
    while (this.labels.children.length < texts.length) this.labels.append(document.createElement('span'));
    [...this.labels.children].forEach((label, k) => {
      label.hidden = k >= texts.length;
      if (label.hidden) return;
      const at = texts[k][0].getWorldPosition(new THREE.Vector3()).project(this.camera);
      const { clientWidth, clientHeight } = this.canvas;
      label.hidden = Math.abs(at.x) > 1 || Math.abs(at.y) > 1 || at.z > 1;
      label.textContent = texts[k][1];
      label.style.left = `${((at.x + 1) / 2) * clientWidth}px`;
      label.style.top = `${((1 - at.y) / 2) * clientHeight}px`;
    });
  }

  draw() {
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.world, this.camera);
    this.placeLabels();
  }

  // where a body is now, as the results have it: x y z, w x y z
  poseOf(name) {
    const body = this.actor.scene.bodies.find((one) => one.name === name);
    if (!body) return null;
    return [...(body.frame === undefined ? body.pose : this.actor.frames.subarray(POSE * body.frame, POSE * (body.frame + 1)))];
  }
}
