/** Configuration and state of the server. */
import type * as G from '../generated';
import type { QueueStatus } from './jobs';
import type { Narrow } from './narrow';

export type OrgConfig = G.ConfigurationDocument;
export type SystemStatus = Narrow<
  G.SystemResponse,
  { judge: Narrow<G.JudgeRecord, { model: string | null; trouble: string | null }>; queue: QueueStatus }
>;
