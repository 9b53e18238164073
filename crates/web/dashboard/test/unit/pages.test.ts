import { describe, expect, it } from 'vitest';
import type { PurgeStatus, RegenerateStatus, ShadowVerdict } from '../../src/api/types';
import { match, sessionPath, withQuery } from '../../src/app/router';
import { readView, sharedQuery } from '../../src/app/window';
import { defaultSets, moveSource, readSets, writeSets } from '../../src/parts/compare/sets';
import { planInWords } from '../../src/parts/experiments/planner';
import { stageOf } from '../../src/parts/governance/progress';
import { grouped, progressInWords } from '../../src/parts/jobs/words';
import { storyOf, verdictOf } from '../../src/parts/session/story';
import { asRequest, readFilters } from '../../src/parts/sessions/filters';

const place = (query: string, path = '/') => ({ path, query: new URLSearchParams(query) });

describe('the address', () => {
  it('carries ids with any character', () => {
    const path = sessionPath('a/b ü', '100%');
    expect(match('/sessions/:user/:session', path)).toEqual({ user: 'a/b ü', session: '100%' });
  });
  it('does not match a broken escape', () => expect(match('/experiments/:id', '/experiments/%E0%A4%A')).toBeNull());
  it('drops a key whose value is empty', () => expect(withQuery(place('a=1&b=2'), { a: '' })).toBe('/?b=2'));
  it('keeps only the window when moving to another page', () => expect(sharedQuery(place('range=7d&outcome=failure'))).toBe('?range=7d'));
});

describe('the window', () => {
  const now = 1_794_700_800;
  it('is the last 28 days when the address says nothing or nonsense', () => {
    for (const query of ['', 'range=nonsense', 'range=custom&from=2026-02-30x&to=', 'range=custom&from=2026-05-02&to=2026-05-01']) {
      expect(readView(place(query), now)).toMatchObject({ range: '28d', from: now - 28 * 86_400, to: now });
    }
  });
  it('includes both days of its own choice', () => {
    const view = readView(place('range=custom&from=2026-05-01&to=2026-05-01'), now);
    expect(view.to - view.from).toBe(86_399);
  });
  it('knows the nameless source from all sources', () => {
    expect(readView(place('source='), now).source).toBe('');
    expect(readView(place(''), now).source).toBeNull();
  });
});

describe('source sets', () => {
  it('survive the way through the address, whatever the names hold', () => {
    const sets = [{ label: 'a,b', sources: ['a,b'] }, { label: '(no source) + -', sources: ['', '-'] }];
    expect(readSets(new URLSearchParams(writeSets(new URLSearchParams(), sets)))).toEqual(sets);
  });
  it('tell "none chosen" from "nothing said"', () => {
    expect(readSets(new URLSearchParams(writeSets(new URLSearchParams(), [])))).toEqual([]);
    expect(readSets(new URLSearchParams())).toBeNull();
  });
  it('hold a source once only', () => expect(readSets(new URLSearchParams('set=web&set=web,api'))).toMatchObject([{ sources: ['web'] }, { sources: ['api'] }]));
  it('put the nameless source last by default', () => expect(defaultSets(['', 'web']).map((set) => set.sources)).toEqual([['web'], ['']]));
  it('drop a set that lost its last source', () => {
    expect(moveSource(defaultSets(['web', 'api']), 'web', 1).map((set) => set.sources)).toEqual([['api', 'web']]);
  });
});

describe('pages of sessions', () => {
  it('go on at the mark of the server', () => {
    const view = readView(place(''), 1000);
    expect(asRequest(readFilters(new URLSearchParams('cursor=abc')), view).cursor).toBe('abc');
  });
  it('ask for the nameless source by its empty name', () => {
    const view = readView(place('source='), 1000);
    expect(asRequest(readFilters(new URLSearchParams()), view).source).toBe('');
  });
  it('ask for failures only when the address says so', () => {
    const view = readView(place(''), 1000);
    expect(asRequest(readFilters(new URLSearchParams('outcome=failure')), view).is_success).toBe(false);
    expect(asRequest(readFilters(new URLSearchParams('outcome=maybe')), view)).not.toHaveProperty('is_success');
  });
});

const request = (request_id: string, created_at: number, source: string, user_id = 'u') => ({
  request: { request_id, user_id, created_at, source, agent_version: source, session_id: 's' },
  interactions: [],
});

describe('the story of a session', () => {
  it('takes the source of its first request and the version of its last, whatever the order of arrival', () => {
    const story = storyOf([{ session_id: 's', user_id: 'u', requests: [request('b', 9, 'late'), request('a', 1, 'early')] }], 'u', 's');
    expect(story).toMatchObject({ source: 'early', agentVersion: 'late', firstAt: 1, lastAt: 9 });
  });
  it('leaves out the session of another user with the same name', () => {
    expect(storyOf([{ session_id: 's', user_id: 'u', requests: [request('a', 1, 'web', 'other')] }], 'u', 's')).toBeNull();
  });
});

const verdict = (better_request: '1' | '2' | 'tie', service_is_request_1: boolean) =>
  ({ service_is_request_1, output: { better_request, is_significantly_better: false } }) as ShadowVerdict;

describe('a shadow verdict', () => {
  it('is a win when the better place was the service', () => {
    expect(verdictOf(verdict('1', true))).toBe('win');
    expect(verdictOf(verdict('2', false))).toBe('win');
  });
  it('is a loss when it was not', () => {
    expect(verdictOf(verdict('1', false))).toBe('loss');
    expect(verdictOf(verdict('2', true))).toBe('loss');
  });
  it('is a tie wherever the service stood', () => expect(verdictOf(verdict('tie', true))).toBe('tie'));
});

const job = (status: RegenerateStatus['status'], completed: number, failed: number, total = 100): RegenerateStatus => ({
  job_id: 'j',
  status,
  total,
  completed,
  failed,
  failures: [],
  started_at: 1000,
  total_candidates: total,
  sampled_count: total,
  concurrency_limit: 10,
  evaluation_name: 'agent_success',
  from_ts: 0,
  to_ts: 900,
});

describe('a replay in words', () => {
  it('says how much is done and how long is left', () => {
    expect(progressInWords(job('running', 40, 10), 1050)).toBe('50 of 100 sessions done, 10 of them failed; about 50 seconds left.');
  });
  it('promises no time once it has ended', () => expect(progressInWords(job('cancelled', 40, 0), 1050)).toBe('40 of 100 sessions done.'));
  it('says when the window held nothing', () => expect(progressInWords(job('completed', 0, 0, 0), 1050)).toBe('The window held no session to judge.'));
  it('groups failures by reason, the most frequent first', () => {
    const failures = [{ session_id: '1', reason: 'a' }, { session_id: '2', reason: 'b' }, { session_id: '3', reason: 'b' }];
    const groups = grouped(failures).map(({ reason, sessions }) => [reason, sessions.map((each) => each.session_id)]);
    expect(groups).toEqual([['b', ['2', '3']], ['a', ['1']]]);
  });
});

describe('the stages of an erasure', () => {
  const at = (status: PurgeStatus['status']) => stageOf({ status } as PurgeStatus);
  it('are complete only when the server says complete', () => {
    expect(at('complete').done).toBe(3);
    expect(at('running').done).toBeLessThan(3);
  });
  it('mark the stage that broke', () => expect(at('failed')).toEqual({ done: 1, broken: true }));
  it('begin with nothing done', () => expect(stageOf(null)).toEqual({ done: 0, broken: false }));
});

describe('the plan in words', () => {
  it('warns of few held-out users', () => expect(planInWords(10, 100, 3, 70)).toContain('Fewer than 20'));
  it('computes nothing from nonsense', () => {
    expect(planInWords(10, Number.NaN, 3, 70)).toContain('above zero');
    expect(planInWords(10, 100, 3, 100)).not.toContain('NaN');
  });
});
