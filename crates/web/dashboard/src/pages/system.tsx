/** The state of the server: is it healthy, where does it store, who judges, and how it is configured. */
import type { ComponentChildren } from 'preact';
import { config, health, system } from '../api/calls';
import type { ApiFailure } from '../api/client';
import type { OrgConfig, SystemStatus } from '../api/types';
import { useQuery, type Query } from '../api/use-query';
import { useSession } from '../app/session';
import { PageHead } from '../app/shell';
import { share } from '../format/number';
import { duration, moment } from '../format/time';
import { QueueFacts } from '../parts/jobs/queue-facts';
import { Badge, Card, Facts, Notice } from '../ui/parts';
import { Loaded } from '../ui/states';

export default function System() {
  const alive = useQuery('healthz', (signal) => health('/healthz', signal));
  const ready = useQuery('readyz', (signal) => health('/readyz', signal));
  const status = useQuery('system', (signal) => system(signal));
  const settings = useQuery('config', (signal) => config(signal));
  return (
    <>
      <PageHead title="System" />
      <div class="stack">
        <div class="split">
          <Card title="Health">
            <Facts rows={[['Process', <Light query={alive} />], ['Storage and migrations', <Light query={ready} />]]} />
            <WhatToDo query={ready} />
          </Card>
          <You />
        </div>
        {status.failure?.kind === 'missing' ? (
          <Card title="Server">
            <p class="soft">This server does not report its version, storage, judge and queue.</p>
          </Card>
        ) : (
          <Loaded query={status} what="the server's state">{(data) => <Server status={data} />}</Loaded>
        )}
        <Card title="Configuration of this organization" note="Change it through the API: POST /api/update_config.">
          <Loaded query={settings} what="the configuration">{(data) => <Settings config={data} />}</Loaded>
        </Card>
        <Documents />
      </div>
    </>
  );
}

function Light({ query }: { query: Query<unknown> }) {
  if (query.failure) return lightOf(query.failure);
  return query.busy ? <span>Asking…</span> : <Badge tone="good">Well</Badge>;
}

function lightOf(failure: ApiFailure) {
  if (failure.kind === 'missing') return <Badge tone="plain">Answers on another address</Badge>;
  return <Badge tone="bad">{failure.kind === 'offline' ? 'Not reachable' : 'Not ready'}</Badge>;
}

function WhatToDo({ query }: { query: Query<unknown> }) {
  if (!query.failure || query.failure.kind === 'missing') return null;
  return <Notice tone="bad">The storage does not answer, or its migrations have not run. Run “touchstone doctor” where the server runs.</Notice>;
}

function You() {
  const { state } = useSession();
  if (state.step !== 'in') return null;
  const { who } = state;
  return (
    <Card title="You">
      <Facts
        rows={[
          ['Organization', who.org_id],
          ['Credential', who.kind],
          ['Permissions', who.permissions.length > 0 ? who.permissions.join(', ') : 'none beyond reading and judging'],
          ['Session ends', who.expires_at === null ? 'not stated' : moment(who.expires_at)],
        ]}
      />
    </Card>
  );
}

function Server({ status }: { status: SystemStatus }) {
  const { judge, storage } = status;
  return (
    <div class="split">
      <Card title="Server">
        <Facts
          rows={[
            ['Version', status.version],
            ['Running since', moment(status.started_at)],
            ['Storage', `${storage.kind}, ${storage.ready ? 'schema up to date' : 'schema out of date'}`],
            ['Shadow verdicts', status.shadow_supported ? 'kept' : 'not kept by this storage'],
          ]}
        />
      </Card>
      <Card title="Judge">
        {judge.kind === 'heuristic' && <Notice tone="warn">The built-in heuristic is judging. It works offline, but it only guesses; connect a language model before you rely on its verdicts.</Notice>}
        {judge.trouble !== null && <Notice tone="bad">{`Sessions wait unjudged: ${judge.trouble}.`}</Notice>}
        <Facts
          rows={[
            ['Judged by', judge.kind === 'heuristic' ? 'the built-in heuristic' : 'a language model'],
            ['Model', judge.model ?? 'none'],
            ['Prompt for sessions', judge.prompt_version],
            ['Reachable', judge.reachable ? 'yes' : 'no'],
          ]}
        />
      </Card>
      <Card title="Queue">
        <QueueFacts queue={status.queue} />
      </Card>
    </div>
  );
}

function Settings({ config: c }: { config: OrgConfig }) {
  const rows: [string, ComponentChildren][] = [
    ['Judged after', c.group_evaluation_delay_seconds === undefined ? 'default' : `${duration(c.group_evaluation_delay_seconds)} of quiet`],
    ['Sessions sampled', c.sampling_rate === undefined ? 'default' : share(c.sampling_rate)],
    ['Retrieved learnings sampled', inherited(c.retrieved_learning_sampling_rate)],
    ['Evaluation-only sampled', inherited(c.evaluation_only_sampling_rate)],
    ['Replay sample per day and source', String(c.eval_sample_n_per_stratum ?? 'default')],
    ['Judged at the same time', String(c.eval_concurrency_limit ?? 'default')],
    ['Shadow mode', c.shadow_mode_enabled ? 'on' : 'off'],
    ['Shadow rubric pinned', c.shadow_comparison_judge_prompt_version ?? 'default'],
    ['Judge', c.judge?.model ? `${c.judge.provider ?? ''} ${c.judge.model}` : 'as the server is set up'],
    ['Definition of success', c.success_definition || 'the built-in one'],
  ];
  return <Facts rows={rows} />;
}

const inherited = (rate: number | null | undefined) => (typeof rate === 'number' ? share(rate) : 'as sessions');

function Documents() {
  return (
    <Card title="Documents">
      <ul class="row">
        <li>
          <a href="/api/docs">API page</a>
        </li>
        <li>
          <a href="/openapi.json">OpenAPI document</a>
        </li>
        <li>
          <a href="/metrics">Metrics</a>
        </li>
      </ul>
    </Card>
  );
}
