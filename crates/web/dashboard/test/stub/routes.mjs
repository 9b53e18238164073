/** What the stub answers, route by route; each handler gets the world of the one signed in. */
import { DAY, resultOf } from './data.mjs';
import { overview } from './overview.mjs';

/** An answer that is a problem document. */
export class Refusal extends Error {
  constructor(status, code, detail, extra = {}) {
    super(detail);
    this.status = status;
    this.body = { type: 'about:blank', title: code, status, detail, code, request_id: 'req-stub-1', ...extra };
  }
}

const now = () => Math.floor(Date.now() / 1000);
const seconds = (value) => (typeof value === 'number' ? value : Date.parse(value) / 1000);

function results(world, body) {
  const rows = world.sessions.filter(
    (row) =>
      row.judged &&
      (!body.agent_version || row.agent_version === body.agent_version) &&
      (body.start_time == null || row.created_at >= seconds(body.start_time)) &&
      (body.end_time == null || row.created_at <= seconds(body.end_time)) &&
      (body.user_id == null || row.user_id === body.user_id) &&
      (body.session_id == null || row.id === body.session_id) &&
      (body.source == null || row.source === body.source) &&
      (body.is_success == null || row.is_success === body.is_success) &&
      (body.failure_type == null || row.failure_type === body.failure_type) &&
      (body.is_escalated == null || row.is_escalated === body.is_escalated),
  );
  const from = Number(body.cursor ?? 0);
  const limit = body.limit ?? 100;
  const page = rows.slice(from, from + limit);
  return { success: true, agent_success_evaluation_results: page.map(resultOf), ...(rows.length > from + limit ? { next_cursor: String(from + limit) } : {}) };
}

function requests(world, body) {
  const rows = world.sessions.filter(
    (row) =>
      (body.user_id == null || row.user_id === body.user_id) &&
      (body.session_id == null || row.id === body.session_id) &&
      (body.start_time == null || row.created_at >= seconds(body.start_time)) &&
      (body.end_time == null || row.created_at <= seconds(body.end_time)),
  );
  const from = body.offset ?? 0;
  const size = body.top_k ?? 30;
  const sessions = rows.slice(from, from + size).map((row) => ({
    session_id: row.id,
    requests: [
      {
        request: { request_id: `r-${row.id}`, user_id: row.user_id, created_at: row.created_at, source: row.source, agent_version: row.agent_version, session_id: row.id },
        interactions: body.include_interactions === false ? [] : row.turns,
      },
    ],
  }));
  return { success: true, sessions, has_more: rows.length > from + size };
}

function learningResults(world, body) {
  const session = world.sessions.find((row) => row.id === body.session_id && row.user_id === body.user_id);
  const turn = session?.turns[1];
  const rows = (session?.rules ?? []).map((rule, at) => ({
    result_id: session.result_id * 10 + at,
    user_id: session.user_id,
    session_id: session.id,
    agent_version: session.agent_version,
    interaction_id: turn.interaction_id,
    interaction_created_at: turn.created_at,
    kind: rule.kind,
    learning_id: rule.rule_id,
    is_relevant: at === 1 ? false : true,
    relevance_reason: 'It speaks about the same kind of request.',
    impact: session.is_success ? 'positive' : 'negative',
    impact_reason: session.is_success ? 'The answer follows it.' : 'The answer follows it and misses the question.',
    diagnosis: rule.kind === 'profile' || session.is_success ? null : { category: 'application_failure', reason: 'The number was asked for, then not used.', evidence_interaction_ids: [turn.interaction_id + 1] },
    evaluated_playbook_digest: rule.kind === 'profile' ? null : 'a'.repeat(64),
    diagnosis_evidence_complete: true,
    created_at: session.created_at + 900,
  }));
  return { success: true, results: rows };
}

function recent(world, _body, { query }) {
  const limit = Math.min(100, Math.max(1, Number(query.get('limit') ?? 10)));
  const session = query.get('session_id');
  const list = world.verdicts.filter((verdict) => session === null || verdict.session_id === session);
  return { verdicts: list.slice(0, limit).map(({ outcome, day, ...verdict }) => verdict) };
}

function gradeNow(world, body) {
  const session = world.sessions.find((row) => row.id === body.session_id && (!body.user_id || row.user_id === body.user_id));
  if (!session) return { session_id: body.session_id, skipped_reason: 'NO_REQUESTS' };
  const cached = session.graded === true;
  session.graded = true;
  session.judged = true;
  return { session_id: session.id, result_id: session.result_id, cached, retrieved_learning_status: 'complete' };
}

function inWindow(world, body) {
  if (!(body.from_ts < body.to_ts)) throw new Refusal(422, 'invalid_window', 'The window ends before it begins.');
  return world.sessions.filter((row) => row.created_at >= body.from_ts && row.created_at <= body.to_ts).length;
}

function startReplay(world, body) {
  const candidates = inWindow(world, body);
  if (world.jobs.some((job) => liveState(job) === 'running')) throw new Refusal(409, 'regeneration_running', 'Another replay is running.');
  const job = { id: `job-${world.jobs.length + 1}`, total: Math.min(candidates, 60), candidates, startedAt: Date.now() / 1000, cancelled: null };
  world.jobs.unshift(job);
  return { job_id: job.id, total: job.total };
}

const SPEED = 20;
const done = (job) => Math.min(job.total, Math.floor(((job.cancelled ?? Date.now() / 1000) - job.startedAt) * SPEED));
function liveState(job) {
  if (job.cancelled) return 'cancelled';
  return done(job) < job.total ? 'running' : 'completed';
}

function jobView(job) {
  const ready = done(job);
  const failed = Math.floor(ready / 15);
  const reasons = ['The judge answered with nothing usable.', 'The judge did not answer in time.'];
  return {
    job_id: job.id,
    status: liveState(job),
    total: job.total,
    completed: ready - failed,
    failed,
    failures: Array.from({ length: failed }, (_, at) => ({ session_id: `s-${1000 + at}`, user_id: `user-${at}`, reason: reasons[at % 3 === 2 ? 1 : 0] })),
    started_at: job.startedAt,
    ...(liveState(job) === 'running' ? {} : { finished_at: job.cancelled ?? job.startedAt + job.total / SPEED }),
    total_candidates: job.candidates,
    sampled_count: job.total,
    concurrency_limit: 10,
  };
}

function findJob(world, id) {
  const job = world.jobs.find((each) => each.id === id);
  if (!job) throw new Refusal(404, 'job_not_found', 'There is no such job.');
  return job;
}

const listExperiments = (world) => ({ active_experiment: world.experiments.find((row) => row.ended_at === null) ?? null, experiments: world.experiments });

function startExperiment(world, body) {
  if (!(body.holdout_percentage > 0 && body.holdout_percentage < 100)) throw new Refusal(422, 'validation', 'holdout_percentage must be more than 0 and less than 100.');
  if (world.experiments.some((row) => row.ended_at === null)) throw new Refusal(409, 'experiment_already_active', 'Another experiment is active.');
  if (world.experiments.some((row) => row.experiment_id === body.experiment_id)) throw new Refusal(409, 'experiment_id_reused', 'This id was used before.');
  world.experiments.unshift({ experiment_id: body.experiment_id, holdout_percentage: body.holdout_percentage, started_at: now(), ended_at: null });
  return listExperiments(world);
}

function stopExperiment(world, body) {
  const row = world.experiments.find((each) => each.experiment_id === body.experiment_id);
  if (!row) throw new Refusal(404, 'experiment_not_found', 'There is no such experiment.');
  if (row.ended_at !== null) throw new Refusal(409, 'experiment_not_active', 'It has ended.');
  row.ended_at = now();
  return listExperiments(world);
}

const arm = (name, users, sessions, rate) => ({
  arm: name,
  assigned_user_count: users,
  published_session_count: sessions + (sessions ? 12 : 0),
  evaluated_user_count: sessions ? users - 1 : 0,
  evaluated_session_count: sessions,
  success_rate: rate,
  average_corrections: rate === null ? null : 1.2 - rate / 2,
  average_turns_to_resolution: rate === null ? null : 2.4,
  escalation_rate: rate === null ? null : (1 - rate) / 3,
  average_output_tokens: rate === null ? null : 212.4,
  output_token_session_count: sessions,
});

function experimentResults(world, _body, { params }) {
  const experiment = world.experiments.find((row) => row.experiment_id === params[0]);
  if (!experiment) throw new Refusal(404, 'experiment_not_found', 'There is no such experiment.');
  const filled = experiment.experiment_id === 'autumn-holdout';
  return {
    experiment,
    treatment: arm('treatment', filled ? 52 : 0, filled ? 188 : 0, filled ? 0.723 : null),
    holdout: arm('holdout', filled ? 7 : 0, filled ? 24 : 0, filled ? 0.541 : null),
    success_rate_lift_percentage_points: filled ? 18.2 : null,
    relative_success_lift: filled ? 0.336 : null,
    confidence_interval_95_percentage_points: filled ? [-6.4, 42.9] : null,
    evaluated_session_coverage: filled ? 0.74 : null,
    unattributed_evaluated_session_count: filled ? 74 : 0,
    interval_method: 'mover_wilson_clustered',
    cluster_robust: filled ? { standard_error_percentage_points: 10.1, degrees_of_freedom: 7.2, interval_95_percentage_points: [-5.5, 41.9] } : null,
    health: filled
      ? [
          { code: 'few_holdout_users', severity: 'warning', message: 'Only 6 held-out users have judged sessions; at least 20 are advised.', value: 6 },
          { code: 'low_coverage', severity: 'warning', message: 'Only 74 % of judged sessions carry an arm.', value: 0.74 },
        ]
      : [],
  };
}

const OWN = (rows) => ({
  profiles: rows.length ? 2 : 0,
  user_playbooks: rows.length ? 1 : 0,
  requests: rows.length,
  sessions: rows.length,
  interactions: rows.reduce((sum, row) => sum + row.turns.length, 0),
  agent_success_evaluation_results: rows.filter((row) => row.judged).length,
  retrieved_learning_evaluation_results: rows.reduce((sum, row) => sum + row.rules.length, 0),
  shadow_comparison_verdicts: rows.filter((row) => row.turns.some((turn) => turn.shadow_content)).length,
  partner_scores: 0,
  search_exposures: 0,
});

const hex = (text) => [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7).toString(16).padStart(8, '0').repeat(4);
const owned = (world, user) => world.sessions.filter((row) => row.user_id === user);

function previewErase(world, body) {
  const rows = owned(world, body.user_id);
  return { subject_ref: `subref_v1_${hex(body.user_id)}`, counts: OWN(rows), agent_playbook_ids: rows.length ? [1, 2] : [] };
}

/** The first call answers that the work goes on, so that the page has to wait for it; that of the user `breaks` fails once. */
function erase(world, body, { answer }) {
  const id = `purge_${hex(`${body.user_id} ${body.request_id}`)}`;
  let purge = world.purges.get(id);
  if (!purge) {
    if (body.user_id === 'breaks') world.breaks = true;
    const counts = OWN(owned(world, body.user_id));
    purge = { view: { purge_id: id, subject_ref: `subref_v1_${hex(body.user_id)}`, request_ref: `reqref_v1_${hex(body.request_id)}`, status: 'running', error_code: null, error_detail: null, created_at: now(), updated_at: now(), completed_at: null }, counts };
    world.purges.set(id, purge);
    world.sessions = world.sessions.filter((row) => row.user_id !== body.user_id);
    world.erased.add(body.user_id);
    answer.status = 202;
    answer.headers['retry-after'] = '1';
    return purge.view;
  }
  return purge.view.status === 'complete' ? { ...purge.view, deleted_counts: purge.counts, unlinked_agent_playbook_ids: purge.counts.user_playbooks ? [1, 4] : [] } : purge.view;
}

function purgeStatus(world, _body, { params }) {
  const purge = world.purges.get(params[0]);
  if (!purge) throw new Refusal(404, 'purge_not_found', 'There is no such purge operation.');
  if (world.breaks) {
    world.breaks = false;
    return { ...purge.view, status: 'failed', error_code: 'storage_unavailable', error_detail: 'The storage did not answer.' };
  }
  Object.assign(purge.view, { status: 'complete', updated_at: now(), completed_at: now() });
  return purge.view;
}

function exportUser(world, body) {
  const rows = owned(world, body.user_id);
  const bundle = Object.fromEntries(Object.entries(OWN(rows)).map(([name, n]) => [name, Array.from({ length: n }, (_, at) => ({ at }))]));
  return { subject_ref: `subref_v1_${hex(body.user_id)}`, export_id: `export_${hex(body.user_id + body.request_id)}`, bundle };
}

const config = () => ({ shadow_comparison_judge_prompt_version: 'v1.1.0', group_evaluation_delay_seconds: 600, sampling_rate: 1, retrieved_learning_sampling_rate: null, evaluation_only_sampling_rate: null, eval_sample_n_per_stratum: 200, eval_concurrency_limit: 10, shadow_mode_enabled: false, success_definition: null, agent_context: null, tools: null, judge: null });

const system = (world) => ({
  version: '0.1.0',
  started_at: now() - 2 * DAY,
  storage: { kind: 'sqlite', ready: true },
  judge: { kind: 'heuristic', model: null, prompt_version: 'v1.1.0', reachable: true, trouble: null },
  queue: { waiting: world.sessions.length ? 3 : 0, running: 0, retrying: 0, failed_24h: 0, oldest_due_at: world.sessions.length ? now() - 140 : null },
  shadow_supported: true,
});

const learnings = (key) => (world) => ({ success: true, [key]: key === 'agent_playbooks' && world.sessions.length ? [{ agent_playbook_id: 1, playbook_name: 'Confirm the order number first' }, { agent_playbook_id: 2, playbook_name: 'Offer the refund form' }] : [] });

export const routes = [
  ['POST', /^\/api\/get_evaluation_overview$/, overview],
  ['POST', /^\/api\/get_agent_success_evaluation_results$/, results],
  ['POST', /^\/api\/get_retrieved_learning_evaluation_results$/, learningResults],
  ['POST', /^\/api\/get_requests$/, requests],
  ['POST', /^\/api\/get_profiles$/, learnings('user_profiles')],
  ['POST', /^\/api\/get_user_playbooks$/, learnings('user_playbooks')],
  ['POST', /^\/api\/get_agent_playbooks$/, learnings('agent_playbooks')],
  ['GET', /^\/api\/evaluations\/shadow_comparisons\/recent$/, recent],
  ['POST', /^\/api\/evaluations\/grade_on_demand$/, gradeNow],
  ['POST', /^\/api\/evaluations\/regenerate\/preview$/, (world, body) => ({ total_candidates: inWindow(world, body), sampled_count: Math.min(60, inWindow(world, body)), concurrency_limit: 10, estimated_seconds: 3 })],
  ['POST', /^\/api\/evaluations\/regenerate$/, startReplay],
  ['GET', /^\/api\/evaluations\/regenerate$/, (world) => ({ jobs: world.jobs.map(jobView) })],
  ['GET', /^\/api\/evaluations\/regenerate\/([^/]+)$/, (world, _body, { params }) => jobView(findJob(world, params[0]))],
  ['DELETE', /^\/api\/evaluations\/regenerate\/([^/]+)$/, (world, _body, { params }) => { const job = findJob(world, params[0]); job.cancelled ??= Date.now() / 1000; return jobView(job); }],
  ['GET', /^\/api\/retrieval_experiments$/, listExperiments],
  ['POST', /^\/api\/retrieval_experiments$/, startExperiment],
  ['POST', /^\/api\/retrieval_experiments\/stop$/, stopExperiment],
  ['GET', /^\/api\/retrieval_experiments\/([^/]+)\/results$/, experimentResults],
  ['POST', /^\/api\/governance\/erase-preview$/, previewErase, 'governance'],
  ['POST', /^\/api\/governance\/erase-user$/, erase, 'governance'],
  ['POST', /^\/api\/governance\/export-user$/, exportUser, 'governance'],
  ['GET', /^\/api\/governance\/purge-operations\/([^/]+)$/, purgeStatus, 'governance'],
  ['GET', /^\/api\/get_config$/, config],
  ['GET', /^\/api\/system$/, system],
];
