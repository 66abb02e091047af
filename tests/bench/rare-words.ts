// Words that one user in a database has, in many scripts, and how they are searched for: in another case than they are written.

export const RARE_WORDS = [
  { written: 'Zephyrquill', asked: 'zePHYRquiLL' },
  { written: 'Подъёмщиков', asked: 'ПОДЪЁМЩИКОВ' },
  { written: 'ΦΘΙΝΌΠΩΡΟΣ', asked: 'φθινόπωρος' },
  { written: 'Großwäsche', asked: 'GROSSWÄSCHE' },
  { written: 'Ղուկասյան', asked: 'ՂՈՒԿԱՍՅԱՆ' },
  { written: 'გიორგაძე', asked: 'გიორგაძე' },
  { written: 'فیروزکوهی', asked: 'فیروزکوهی' },
  { written: '鶴屋南北', asked: '鶴屋南北' },
  { written: 'しまうま', asked: 'しま' },
] as const;
