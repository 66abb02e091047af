// An audience: users with some tariffs or tags.
import { z } from 'zod';
import * as s from './scalars.ts';

const MAX_AUDIENCE = 100;

export const audienceTariffs = z.array(s.id).max(MAX_AUDIENCE);
export const audienceTags = z.array(z.string().min(1).max(32)).max(MAX_AUDIENCE);
