// camera.js - the direction from which a scene is seen at first: where its bodies cover each other least.
import * as THREE from 'three';

const DEFAULT = [0.5, -1, 0.45];
const BETTER = 1.35; // how much better a view must be to take the place of the default one
const BEHIND = 0.2; // what a view from behind a wall is worth

// A flat scene is seen from its broad side.
function broadSide(size) {
  const { x, y, z } = size, flat = 0.12 * Math.max(x, y, z);
  if (z < flat && x >= flat && y >= flat / 3) return [0.15, -0.7, 1];
  if (x < flat && y >= flat && z >= flat) return [1, -0.45, 0.35];
  if (y < flat && x >= flat && z >= flat) return [0.35, -1, 0.28];
  return null;
}

// The area over which the points of each row spread, seen from a direction.
function spread(rows, direction) {
  const right = new THREE.Vector3(-direction.y, direction.x, 0).normalize();
  const top = new THREE.Vector3().crossVectors(direction, right);
  let sum = 0;
  for (const points of rows) {
    let [u, v, uu, vv, uv] = [0, 0, 0, 0, 0];
    for (const point of points) {
      const a = point.dot(right), b = point.dot(top);
      u += a; v += b; uu += a * a; vv += b * b; uv += a * b;
    }
    const n = points.length || 1;
    sum += Math.sqrt(Math.max(0, (uu / n - (u / n) ** 2) * (vv / n - (v / n) ** 2) - (uv / n - (u * v) / n / n) ** 2));
  }
  return sum;
}

// rows: points of bodies at a few times; walls: normals of planes that are no floor.
export function firstDirection(size, rows, walls) {
  const flat = broadSide(size);
  if (flat) return flat;
  const worth = (direction) => walls.reduce((value, normal) => value * (direction.dot(normal) < 0.05 ? BEHIND : 1), spread(rows, direction));
  const usual = new THREE.Vector3(...DEFAULT).normalize();
  let best = usual, most = BETTER * worth(usual);
  for (const [height, weight] of [[0.45, 1], [1, 0.85]]) {
    for (let k = 0; k < 12; k++) {
      const angle = (Math.PI * k) / 6, direction = new THREE.Vector3(Math.cos(angle), Math.sin(angle), height).normalize();
      const value = weight * (1 + 0.1 * direction.dot(usual)) * worth(direction);
      if (value > most) { most = value; best = direction; }
    }
  }
  return best.toArray();
}
