/** Verdicts of the shadow judge. */
import type * as G from '../generated';
import type { Narrow } from './narrow';

export type ShadowVerdict = Narrow<
  G.ShadowComparisonVerdict,
  { output: Narrow<G.ShadowComparisonOutput, { better_request: '1' | '2' | 'tie' }> }
>;

export type ShadowRecentResponse = Narrow<G.RecentShadowResponse, { verdicts: ShadowVerdict[] }>;
