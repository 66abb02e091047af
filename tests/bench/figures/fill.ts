// How long it takes to fill a demonstration.
import type { Figure } from '../figure.ts';

export const fill: Figure = {
  name: 'fill',
  async measure({ databases }) {
    const { middle, large } = databases.sizes;
    const rows = [
      { size: 'middle', users: middle, most: 15 },
      { size: 'large', users: large, most: 120 },
    ] as const;
    const seconds = [await databases.fillSeconds('middle'), await databases.fillSeconds('large')];
    return rows.map(({ users, most }, index) => ({
      title: `--demo=${users}`,
      reach: { most },
      isRatio: false,
      unit: 's',
      value: seconds[index] ?? 0,
      detail: `${Math.round(users / (seconds[index] ?? 1)).toLocaleString('en')} users a second`,
    }));
  },
};
