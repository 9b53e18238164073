/** What was published, and what was learned. */
import type { GetRequestsResponse, InteractionRecord, RequestRecord, SessionRecord } from '../generated';

export type Interaction = InteractionRecord;
export type PublishedRequest = RequestRecord;
export type PublishedSession = SessionRecord;
export type RequestsResponse = GetRequestsResponse;
