/* mechanism_tables.h - tables of a compiled mechanism that follow from those of its joints
 * (mechanism_rows.h): text of generated files. They are laid out when the library is loaded, and
 * nothing writes to them later. */
/* which axes of A and B the rows of a joint are made of: displacements along a column of A, or of
 * the world; turns between a column of A and one of B */
typedef struct row_of {
  int is_turn, a, b; /* a = -1 - i: along axis i of the world */
} row_of;

static int list_rows(unsigned holds, row_of rows[6]) {
  int n = 0;
  if (holds & HOLDS_POINT) {
    for (int i = 0; i < 3; i++) rows[n++] = (row_of){0, -1 - i, 0};
  }
  if (holds & HOLDS_ACROSS) rows[n++] = (row_of){0, 0, 0}, rows[n++] = (row_of){0, 1, 0};
  if (holds & HOLDS_ALONG) rows[n++] = (row_of){0, 2, 0};
  if (holds & HOLDS_UPRIGHT) rows[n++] = (row_of){1, 0, 2}, rows[n++] = (row_of){1, 1, 2};
  if (holds & HOLDS_TWIST) rows[n++] = (row_of){1, 1, 0};
  if (holds & HOLDS_CROSS) rows[n++] = (row_of){1, 0, 1};
  return n;
}

struct joint {
  unsigned holds;
  int first, leading; /* rows before its own, and chosen ones */
  int reach;          /* the first joint that shares a body with it */
  int body[2];
  double (*frame)[12];
};
static struct joint joints[JOINTS + 1];
static int row_joints[AT_LEAST_ONE(ROWS)], places[AT_LEAST_ONE(ROWS)], chosen[AT_LEAST_ONE(CHOSEN)];
static int profile_first[AT_LEAST_ONE(CHOSEN)], profile_start[AT_LEAST_ONE(CHOSEN)];
/* two joints that share a body, the later one first, and by which of their ends: each product of
 * two of their rows is part of S */
static int couplings[AT_LEAST_ONE(COUPLINGS)][4];

static void list_joint_rows(int j) {
  row_of rows[6];
  const int count = list_rows(joint_holds[j], rows), first = joints[j].first;
  int place = joints[j].leading;
  for (int i = first; i < first + count; i++) {
    const int is_chosen = joint_chosen[j] >> (i - first) & 1;
    row_joints[i] = j, places[i] = is_chosen ? place : -1;
    if (is_chosen) chosen[place++] = i;
  }
  joints[j + 1].first = first + count, joints[j + 1].leading = place;
}

/* rows of a factor begin at the first chosen row that the joint's can meet */
static void list_profile(int j) {
  const int first = joints[joints[j].reach].leading;
  for (int i = joints[j].leading; i < joints[j + 1].leading; i++) {
    profile_first[i] = first;
    if (i + 1 < CHOSEN) profile_start[i + 1] = profile_start[i] + i - first + 1;
  }
}

static int list_couplings(int a, int count) {
  for (int b = joints[a].reach; b <= a; b++) {
    for (int e = 0; e < 4; e++) {
      const int on = joints[a].body[e / 2];
      if (on < 0 || on != joints[b].body[e % 2]) continue;
      couplings[count][0] = a, couplings[count][1] = b;
      couplings[count][2] = e / 2, couplings[count][3] = e % 2, count++;
    }
  }
  return count;
}

__attribute__((constructor)) static void lay_out_joints(void) {
  static int holder[BODIES]; /* the first joint of a body, counted from 1 */
  for (int j = 0, count = 0; j < JOINTS; j++) {
    struct joint *joint = &joints[j];
    joint->holds = joint_holds[j], joint->reach = j;
    joint->body[0] = joint_a[j], joint->body[1] = joint_b[j];
    joint->frame = (double(*)[12])joint_frames[j];
    for (int e = 0; e < 2; e++) {
      const int on = joint->body[e];
      if (on < 0) continue;
      if (holder[on] == 0) holder[on] = j + 1;
      if (holder[on] - 1 < joint->reach) joint->reach = holder[on] - 1;
    }
    list_joint_rows(j);
    list_profile(j);
    count = list_couplings(j, count);
  }
}
