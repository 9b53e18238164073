/** Who is signed in, and what a refusal looks like. */
import type { ProblemDocument, WhoAmIResponse } from '../generated';
import type { Narrow } from './narrow';

export type Problem = ProblemDocument;
export type WhoAmI = Narrow<WhoAmIResponse, { expires_at: number | null }>;
