/** The JSON shapes of the service; the one file of shapes that the rest imports, so that a generated one can take its place. */
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
