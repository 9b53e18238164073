/** How good is the agent, did it change, and where to look next. */
import { overview, recentVerdicts } from '../api/calls';
import type { OverviewResponse, ShadowWinRateTrend } from '../api/types';
import { useQuery } from '../api/use-query';
import { Link, useNavigation } from '../app/router';
import { PageHead } from '../app/shell';
import { useView } from '../app/use-view';
import { sharedQuery, type View } from '../app/window';
import { SlotMeter } from '../charts/slot-meter';
import { ShadowDays } from '../charts/shadow-days';
import { CorrectionsHistogram } from '../charts/histogram';
import { TrendChart } from '../charts/trend';
import { sourceName } from '../format/names';
import { headline } from '../format/sentences';
import { calendarDay } from '../format/time';
import { EmptyWindow } from '../parts/empty-window';
import { Rules } from '../parts/overview/rules';
import { ruleSides, scopeOf } from '../parts/overview/scope';
import { PartnerTiles, Tiles } from '../parts/overview/tiles';
import { ResultsTable } from '../parts/results-table';
import { withGaps } from '../stats/buckets';
import { tileDeltas } from '../stats/deltas';
import { Card, Notice } from '../ui/parts';
import { Loaded } from '../ui/states';
import { WindowBar } from '../ui/window-bar';

const SHOWN_RESULTS = 10;

export default function Overview() {
  const view = useView();
  const query = useQuery(JSON.stringify(view), (signal) =>
    overview(
      {
        from_ts: view.from,
        to_ts: view.to,
        bucket: view.bucket,
        include_sessions: false,
        ...(view.source === null ? {} : { source_sets: [{ label: sourceName(view.source), sources: [view.source] }] }),
        ...(view.agent === null ? {} : { agent_version: view.agent }),
      },
      signal,
    ),
  );
  return (
    <>
      <PageHead title="Overview" lead={`${calendarDay(view.from)} to ${calendarDay(view.to)}, all times UTC.`} />
      <WindowBar view={view} sources={query.data?.source_set_comparison.available_sources} versions={query.data?.available_agent_versions} />
      <Loaded query={query} what="the overview">
        {(answer) => <Answer answer={answer} view={view} />}
      </Loaded>
    </>
  );
}

function Answer({ answer, view }: { answer: OverviewResponse; view: View }) {
  const scope = scopeOf(answer, view.source);
  const deltas = tileDeltas(scope.tiles);
  if (scope.hero.state === 'empty' || scope.sessions === 0) return <EmptyWindow view={view} />;
  return (
    <>
      <section class="card answer-card" aria-label="The answer in words">
        <p class="answer">{headline(scope.hero, scope.sessions, deltas.success, judgeOf(answer))}</p>
        {scope.hero.state === 'early' && <p class="note">Early days: fewer than 14 days of results or 500 shadow comparisons, so expect movement.</p>}
        {isHeuristic(answer) && <Notice tone="warn">These sessions were judged by the built-in heuristic, not by a language model. Connect a judge before you rely on them.</Notice>}
      </section>
      <Tiles tiles={scope.tiles} deltas={deltas} />
      <div class="split lean">
        <Card title="Success over time">
          <TrendChart title="Success over time" points={withGaps(scope.hero.buckets, view.bucket, { to: view.to })} bucket={view.bucket} />
        </Card>
        <Card title="Corrections per session">
          <CorrectionsHistogram distribution={scope.distribution} />
        </Card>
      </div>
      <Rules {...ruleSides(scope)} />
      <ShadowSection trend={answer.shadow_win_rate_trend} scoped={view.source !== null} />
      {scope.partners.length > 0 && (
        <Card title="Partner scores" note="Means of scores that other systems sent in.">
          <PartnerTiles rows={scope.partners} />
        </Card>
      )}
      <Recent answer={answer} view={view} />
    </>
  );
}

const newestJudged = (answer: OverviewResponse) => answer.recent_results.find((row) => row.judge !== undefined);

/** The newest rubric that judged here; null when every result was judged elsewhere. */
const judgeOf = (answer: OverviewResponse) => newestJudged(answer)?.judge_prompt_version ?? null;

const isHeuristic = (answer: OverviewResponse) => newestJudged(answer)?.judge === 'heuristic';

function ShadowSection({ trend, scoped }: { trend: ShadowWinRateTrend | undefined; scoped: boolean }) {
  const { place } = useNavigation();
  const any = trend !== undefined && trend.window_total.n > 0;
  const verdicts = useQuery(any ? 'slot' : null, (signal) => recentVerdicts(100, undefined, signal));
  const more = <Link to={`/shadow${sharedQuery(place)}`}>Shadow comparisons</Link>;
  if (!any) {
    return (
      <Card title="Shadow win rate" actions={more}>
        <p class="soft">Not measured: no turn was compared with a shadow response in this window.</p>
      </Card>
    );
  }
  return (
    <div class="split lean">
      <Card title="Shadow win rate" actions={more} note={scoped ? 'All sources: comparisons are not split by source.' : undefined}>
        <ShadowDays days={trend.daily} total={trend.window_total} height={170} />
      </Card>
      <Card title="Is the judge fair to both places?" note="The two responses are shown in random order. Newest 100 comparisons.">
        <Loaded query={verdicts} what="recent comparisons">{(data) => <SlotMeter verdicts={data.verdicts} />}</Loaded>
      </Card>
    </div>
  );
}

function Recent({ answer, view }: { answer: OverviewResponse; view: View }) {
  const { place } = useNavigation();
  const shared = sharedQuery(place);
  const rows = answer.recent_results.filter((row) => view.source === null || row.source === view.source);
  const link = (outcome: string, name: string) => <Link to={`/sessions${shared}${shared ? '&' : '?'}outcome=${outcome}`}>{name}</Link>;
  return (
    <Card
      title="Recent results"
      actions={
        <span class="row">
          {link('failure', 'All failures')}
          <Link to={`/sessions${shared}`}>All sessions</Link>
        </span>
      }
    >
      {rows.length > 0 ? <ResultsTable caption="Recent results" rows={rows.slice(0, SHOWN_RESULTS)} /> : <p class="soft">No recent result fits this choice.</p>}
    </Card>
  );
}
