/* inner_friction.h - dry friction of a joint inside of a part, such as a robot's: a mode of the
 * search (search.h) without a row of its own. With the joint's rate w and a step of h:
 *
 *     mode 0: it sticks          l = h f - F w / creep, |l| <= h F
 *     mode d = -1, 1: it slips   l = -d h F, d w >= 0
 *
 * What sticks yields by h creep at most: the part has F / creep on the diagonal of its mass. The
 * force f takes over what is found, solve by solve (method of multipliers), until w is rounding;
 * with f = 0, what is joined to the part and m times heavier is held by 1 + 1e-6 m times too much.
 * Nothing of this is state: a rate over h creep says that a joint slips, and which way.
 */
#ifndef FLG_LIMITS_INNER_FRICTION_H
#define FLG_LIMITS_INNER_FRICTION_H

typedef struct flg_inner_friction {
  int velocity; /* among those of its host */
  double bound; /* F [N or N m] */
  double creep; /* [m/s^2 or rad/s^2] */
  double *mode; /* of the part ... */
  double *held; /* ... and f there */
} flg_inner_friction;

/* Step: the mode at the start of a step of h, with the rate that it has then. */
int flg_inner_friction_start(const flg_inner_friction *friction, double rate, double h);
/* Step, after a solve, of one that sticks: l, with the rate that it has then. */
double flg_inner_friction_impulse(const flg_inner_friction *friction, double after, double h);
/* Step: of one that sticks and is to hold that impulse in a step of h, the mode that it has. */
int flg_inner_friction_hold(const flg_inner_friction *friction, double impulse, double h);
/* Step, after a solve: the mode that the law asks for. */
int flg_inner_friction_judge(const flg_inner_friction *friction, double before, double after,
                             double h);

#endif
