/** The JSON shapes of the service: what the OpenAPI document says (`generated.ts`), more precise where the document is loose. */
export type * from './shapes/activity';
export type * from './shapes/experiments';
export type * from './shapes/governance';
export type * from './shapes/interval';
export type * from './shapes/jobs';
export type * from './shapes/overview';
export type * from './shapes/results';
export type * from './shapes/session';
export type * from './shapes/shadow';
export type * from './shapes/system';
