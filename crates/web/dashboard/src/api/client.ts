/** Speaks HTTP to our own origin: JSON in, JSON out, a time limit on every call, and one error type for whatever goes wrong. */
import type { Problem } from './types';

const TIME_LIMIT_MS = 30_000;

export type FailureKind = 'signed_out' | 'forbidden' | 'missing' | 'conflict' | 'invalid' | 'unavailable' | 'offline' | 'slow' | 'other';

/** A call that did not succeed, in terms a page can act on. */
export class ApiFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly problem: Problem | null = null,
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  get code(): string {
    return this.problem?.code ?? this.kind;
  }
}

const kinds: Record<number, FailureKind> = {
  401: 'signed_out',
  403: 'forbidden',
  404: 'missing',
  405: 'missing',
  409: 'conflict',
  422: 'invalid',
  503: 'unavailable',
};

/** Called whenever the server says that the caller is not signed in (any more). */
let onSignedOut: () => void = () => {};
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export interface Answer<T> {
  status: number;
  body: T;
  retryAfter: number | null;
}

interface CallOptions {
  body?: unknown;
  signal?: AbortSignal | undefined;
  timeLimit?: number;
}

/** Performs one call and gives the parsed body together with its status. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
  const response = await send(method, path, options);
  const retryAfter = Number(response.headers.get('retry-after')) || null;
  const body = await parsed(response);
  if (response.ok) return { status: response.status, body: body as T, retryAfter };
  const failure = asFailure(response.status, body, retryAfter);
  if (failure.kind === 'signed_out' && path !== '/api/auth/session') onSignedOut();
  throw failure;
}

async function send(method: string, path: string, options: CallOptions): Promise<Response> {
  const limit = AbortSignal.timeout(options.timeLimit ?? TIME_LIMIT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const init: RequestInit = { method, signal, credentials: 'same-origin', headers: { Accept: 'application/json' } };
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    init.headers = { ...init.headers, 'Content-Type': 'application/json' };
  }
  try {
    return await fetch(path, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (limit.aborted) throw new ApiFailure('slow', 'The server did not answer in time.');
    throw new ApiFailure('offline', 'The server cannot be reached.');
  }
}

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function asFailure(status: number, body: unknown, retryAfter: number | null): ApiFailure {
  const kind = kinds[status] ?? (status >= 502 ? 'unavailable' : 'other');
  if (body !== null && typeof body === 'object' && 'detail' in body) {
    const problem = body as Problem;
    return new ApiFailure(kind, problem.detail, problem, retryAfter);
  }
  return new ApiFailure(kind, `The server answered with status ${status}.`, null, retryAfter);
}

export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> => (await call<T>('GET', path, { signal })).body;

export const post = async <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  (await call<T>('POST', path, { body, signal })).body;
