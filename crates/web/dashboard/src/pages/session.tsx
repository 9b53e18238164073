/** One session: what was said, how it was judged, what was retrieved, and what the shadow would have said. */
import { useEffect } from 'preact/hooks';
import { learningResults, learningTexts, recentVerdicts, requests, results } from '../api/calls';
import type { RequestsResponse } from '../api/types';
import { useQuery } from '../api/use-query';
import { Link } from '../app/router';
import { PageHead } from '../app/shell';
import { VerdictCard } from '../parts/session/verdict-card';
import { storyOf, type Story } from '../parts/session/story';
import { Transcript } from '../parts/session/transcript';
import { sourceName, versionName } from '../format/names';
import { count } from '../format/number';
import { moment } from '../format/time';
import { Card, Facts, Notice } from '../ui/parts';
import { Loaded, Nothing } from '../ui/states';

const MOST_REQUESTS = 200;
const MOST_VERDICTS = 500;

export default function Session({ params }: { params: Record<string, string> }) {
  const user_id = params['user'] ?? '';
  const session_id = params['session'] ?? '';
  const query = useQuery(`${user_id} ${session_id}`, (signal) => requests({ user_id, session_id, top_k: MOST_REQUESTS }, signal));
  return (
    <>
      <p>
        <Link to="/sessions">Sessions</Link>
      </p>
      <PageHead title={`Session ${session_id}`} lead={`of user ${user_id}`} />
      <Loaded query={query} what="the session">{(answer) => <Found answer={answer} user={user_id} session={session_id} />}</Loaded>
    </>
  );
}

interface FoundProps {
  answer: RequestsResponse;
  user: string;
  session: string;
}

function Found({ answer, user, session }: FoundProps) {
  const story = storyOf(answer.sessions, user, session);
  if (story === null) {
    return (
      <Nothing
        cause="There is no such session."
        detail="It was never published, or its user has been erased."
        action={
          <Link class="button primary" to="/sessions?list=published">
            Look at the published sessions
          </Link>
        }
      />
    );
  }
  return <Details story={story} cut={answer.has_more === true} />;
}

function Details({ story, cut }: { story: Story; cut: boolean }) {
  const { user, session } = story;
  const key = JSON.stringify([user, session]);
  const judged = useQuery(`results ${key} ${story.firstAt}`, async (signal) => {
    const answer = await results({ user_id: user, session_id: session, start_time: story.firstAt, end_time: story.firstAt, limit: 100 }, signal);
    return answer.agent_success_evaluation_results.filter((row) => row.session_id === session && (row.user_id ?? user) === user);
  });
  const learnings = useQuery(`learnings ${key}`, (signal) => learningResults({ user_id: user, session_id: session, limit: MOST_VERDICTS }, signal));
  const shadow = useQuery(story.hasShadow ? `shadow ${key}` : null, (signal) => recentVerdicts(100, { user_id: user, session_id: session }, signal));
  const texts = useQuery(`texts ${user}`, (signal) => learningTexts(user, signal));
  useEffect(() => {
    if (location.hash.startsWith('#turn-')) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  const reload = () => {
    judged.reload();
    learnings.reload();
  };
  return (
    <>
      <Card title="About">
        <Facts
          rows={[
            ['Source', sourceName(story.source)],
            ['Agent version', versionName(story.agentVersion)],
            ['Requests · turns', `${count(story.requests.length)} · ${count(story.turns.length)}`],
            ['Began', moment(story.firstAt)],
            ['Last request', moment(story.lastAt)],
            ['Experiment', story.experiment ?? 'in none'],
          ]}
        />
      </Card>
      <VerdictCard story={story} judged={judged} onGraded={reload} />
      {cut && <Notice tone="warn">Only the newest {MOST_REQUESTS} requests of this session are shown.</Notice>}
      {learnings.failure && <Notice tone="warn">The verdicts on retrieved learnings could not be loaded: {learnings.failure.message}</Notice>}
      <Transcript
        story={story}
        learnings={learnings.data?.results ?? []}
        verdicts={shadow.data?.verdicts ?? []}
        texts={texts.data ?? new Map<string, string>()}
      />
    </>
  );
}
