/** The demonstration data of the stub: made from a fixed seed, anchored at today, the same on every run of a day. */

export const DAY = 86_400;

/** A small generator of repeatable numbers between 0 and 1. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const FAILURES = ['wrong_answer', 'wrong_answer', 'missing_tool', 'wrong_tool', 'insufficient_info_from_tool', 'system_error'];
const SOURCES = ['web', 'web', 'web', 'slack', 'slack', ''];
const TOPICS = ['a refund that has not arrived', 'the export of last month', 'a password that does not work', 'changing the delivery address', 'two invoices for one order'];
const RULES = [
  { kind: 'agent_playbook', rule_id: '1', title: 'Confirm the order number first' },
  { kind: 'agent_playbook', rule_id: '2', title: 'Offer the refund form' },
  { kind: 'user_playbook', rule_id: '7', title: 'Answer in one sentence' },
  { kind: 'profile', rule_id: 'p-3', title: 'Prefers e-mail' },
  { kind: 'agent_playbook', rule_id: '4', title: 'Escalate on the second complaint' },
];

/** Builds one organization's world. */
export function demoWorld(now = Math.floor(Date.now() / 1000)) {
  const random = seeded(20261115);
  const sessions = [];
  let turn = 1;
  for (let back = 40; back >= 0; back -= 1) {
    if (back === 12 || back === 13 || back === 25) continue;
    const count = 6 + Math.floor(random() * 12);
    for (let each = 0; each < count; each += 1) {
      const at = now - back * DAY - Math.floor(random() * 60_000) - 600;
      const session = makeSession(random, sessions.length, at, back, turn);
      turn += session.turns.length;
      sessions.push(session);
    }
  }
  sessions.sort((a, b) => b.created_at - a.created_at);
  return { now, sessions, verdicts: verdictsOf(sessions, random), experiments: experimentsAt(now), jobs: [], purges: new Map(), erased: new Set() };
}

export function emptyWorld(now = Math.floor(Date.now() / 1000)) {
  return { now, sessions: [], verdicts: [], experiments: [], jobs: [], purges: new Map(), erased: new Set() };
}

function makeSession(random, at, created_at, back, firstTurn) {
  const source = SOURCES[Math.floor(random() * SOURCES.length)];
  const agent_version = back > 18 ? 'v1.3' : 'v1.4';
  const is_success = random() < (source === 'slack' ? 0.58 : 0.72) + (back < 18 ? 0.05 : 0);
  const corrections = Math.floor(random() * random() * (is_success ? 3.2 : 7));
  const rules = RULES.filter((_, index) => random() < (is_success ? 0.3 - index * 0.05 : 0.1 + index * 0.06));
  const user_id = `user-${Math.floor(random() * 60)}`;
  const session = { id: `s-${1000 + at}`, user_id, source, agent_version, created_at, is_success, corrections, rules, judged: at % 17 !== 5 };
  session.failure_type = is_success ? '' : FAILURES[Math.floor(random() * FAILURES.length)];
  session.is_escalated = !is_success && random() < 0.35;
  session.turns = turnsOf(session, random, firstTurn, at);
  session.result_id = at + 1;
  return session;
}

function turnsOf(session, random, first, at) {
  const topic = TOPICS[at % TOPICS.length];
  const shadow = random() < 0.6;
  const turn = (offset, role, content, extra = {}) => ({
    interaction_id: first + offset,
    user_id: session.user_id,
    request_id: `r-${session.id}`,
    created_at: session.created_at + offset * 40,
    role,
    content,
    shadow_content: '',
    expert_content: '',
    user_action: 'none',
    user_action_description: '',
    tools_used: [],
    citations: [],
    retrieved_learnings: [],
    ...extra,
  });
  const learned = session.rules.map((rule) => ({ kind: rule.kind, learning_id: rule.rule_id }));
  return [
    turn(0, 'User', `Hello, I need help with ${topic}.`),
    turn(1, 'Agent', 'I have looked into your account. Could you tell me the order number?', {
      tools_used: [{ tool_name: 'find_order', tool_data: { account: 'A-17', open: true }, status: 'ok' }],
      retrieved_learnings: learned,
      citations: session.rules.map((rule) => ({ kind: rule.kind, real_id: rule.rule_id, tag: '1', title: rule.title })),
    }),
    turn(2, 'User', session.corrections > 0 ? 'No, that is not what I asked. The order is 4711.' : 'It is 4711.'),
    turn(3, 'Agent', session.is_success ? 'Thank you. It is settled; you will get a message today.' : 'I cannot find anything about that.', {
      shadow_content: shadow ? 'Thank you for the number. I have settled it and sent you a confirmation.' : '',
    }),
  ];
}

function verdictsOf(sessions, random) {
  const verdicts = [];
  for (const session of sessions) {
    for (const turn of session.turns.filter((each) => each.shadow_content)) {
      const chance = random();
      const outcome = chance < 0.48 ? 'win' : chance < 0.68 ? 'tie' : 'loss';
      const first = random() < 0.5;
      verdicts.push({
        verdict_id: verdicts.length + 1,
        interaction_id: String(turn.interaction_id),
        session_id: session.id,
        user_id: session.user_id,
        agent_version: session.agent_version,
        service_is_request_1: first,
        output: {
          better_request: outcome === 'tie' ? 'tie' : (outcome === 'win') === first ? '1' : '2',
          is_significantly_better: random() < 0.4,
          comparison_reason: outcome === 'tie' ? 'Both answer the question equally well.' : 'One response names the next step, the other leaves the user waiting.',
        },
        judge_prompt_version: 'v1.1.0',
        created_at: new Date(session.created_at * 1000).toISOString().replace('.000Z', '+00:00'),
        outcome,
        day: new Date(session.created_at * 1000).toISOString().slice(0, 10),
      });
    }
  }
  return verdicts;
}

function experimentsAt(now) {
  return [
    { experiment_id: 'autumn-holdout', holdout_percentage: 10, started_at: now - 20 * DAY, ended_at: now - 3 * DAY },
    { experiment_id: 'pilot', holdout_percentage: 50, started_at: now - 90 * DAY, ended_at: now - 80 * DAY },
  ];
}

/** A judged session in the words of the results route. */
export function resultOf(session) {
  return {
    result_id: session.result_id,
    user_id: session.user_id,
    agent_version: session.agent_version,
    session_id: session.id,
    is_success: session.is_success,
    failure_type: session.failure_type,
    failure_reason: session.is_success ? '' : 'The agent asked for the order number and then did not use it.',
    evaluation_name: 'agent_success',
    created_at: session.created_at,
    number_of_correction_per_session: session.corrections,
    ...(session.is_success ? { user_turns_to_resolution: 2 } : {}),
    is_escalated: session.is_escalated,
    tags: null,
    source: session.source,
    judge: 'openai',
    judge_prompt_version: 'v1.1.0',
    judged_at: session.created_at + 900,
  };
}
