/** The service's responses against shadow responses: per day, the newest verdicts, and the losses worth reading. */
import { config, overview, recentVerdicts, system } from '../api/calls';
import type { OrgConfig, ShadowVerdict, ShadowWinRateTrend } from '../api/types';
import { useQuery } from '../api/use-query';
import { Link, useNavigation, withQuery } from '../app/router';
import { PageHead } from '../app/shell';
import { useView } from '../app/use-view';
import { ShadowDays } from '../charts/shadow-days';
import { SlotMeter } from '../charts/slot-meter';
import { counted } from '../format/number';
import { shadowInWords } from '../format/sentences';
import { verdictOf } from '../parts/session/story';
import { VerdictList } from '../parts/shadow/verdict-list';
import { Card } from '../ui/parts';
import { Loaded, Nothing } from '../ui/states';
import { WindowBar } from '../ui/window-bar';

const SHOWN_LOSSES = 8;

interface Pictured {
  trend: ShadowWinRateTrend | undefined;
  verdicts: ShadowVerdict[];
  config: OrgConfig;
  supported: boolean;
}

export default function Shadow() {
  const view = useView();
  const query = useQuery(`${view.from} ${view.to}`, async (signal): Promise<Pictured> => {
    const [answer, recent, settings, status] = await Promise.all([
      overview({ from_ts: view.from, to_ts: view.to, bucket: 'day', include_sessions: false }, signal),
      recentVerdicts(100, undefined, signal),
      config(signal),
      system(signal).catch(() => null),
    ]);
    return { trend: answer.shadow_win_rate_trend, verdicts: recent.verdicts, config: settings, supported: status?.shadow_supported !== false };
  });
  return (
    <>
      <PageHead title="Shadow comparisons" lead="Each compared turn shows a judge two responses in random order: the one the user saw and one from the shadow." />
      <WindowBar view={view} bucket="hidden" />
      <Loaded query={query} what="shadow comparisons">{(data) => <Picture data={data} />}</Loaded>
    </>
  );
}

function Picture({ data }: { data: Pictured }) {
  const total = data.trend?.window_total;
  if (data.verdicts.length === 0 && (total === undefined || total.n === 0)) return <NoVerdict data={data} />;
  const losses = data.verdicts.filter((verdict) => verdictOf(verdict) === 'loss' && verdict.output.is_significantly_better);
  return (
    <>
      <section class="card answer-card" aria-label="The answer in words">
        <p class="answer">{total ? shadowInWords(total) : 'Not measured in this window.'}</p>
        <p class="note">{`Rubric ${data.trend?.judge_prompt_version ?? 'unknown'}; verdicts of other rubrics are never mixed in.`}</p>
      </section>
      <div class="split lean">
        {data.trend && data.trend.daily.length > 0 ? (
          <Card title="Win, tie, loss per day" note="Days without a comparison are left open.">
            <ShadowDays days={data.trend.daily} total={data.trend.window_total} />
          </Card>
        ) : (
          <WiderWindow />
        )}
        <Card title="Is the judge fair to both places?" note="Newest verdicts of the last 30 days, at most 100.">
          <SlotMeter verdicts={data.verdicts} />
        </Card>
      </div>
      <Card title="Top disagreements" note={`Losses where the shadow was clearly better, among the ${counted(data.verdicts.length, 'newest verdict')} of the last 30 days.`}>
        {losses.length > 0 ? <VerdictList verdicts={losses.slice(0, SHOWN_LOSSES)} /> : <p class="soft">None: the shadow was never clearly better.</p>}
        {losses.length > SHOWN_LOSSES && (
          <details>
            <summary>{`Show ${losses.length - SHOWN_LOSSES} more`}</summary>
            <VerdictList verdicts={losses.slice(SHOWN_LOSSES)} />
          </details>
        )}
      </Card>
      <Card title="Newest verdicts">
        <details>
          <summary>{`Open the list of ${counted(data.verdicts.length, 'verdict')}`}</summary>
          <VerdictList verdicts={data.verdicts} />
        </details>
      </Card>
    </>
  );
}

function WiderWindow() {
  const { place } = useNavigation();
  return (
    <Nothing
      cause="No comparison falls into this window."
      action={
        <Link class="button primary" to={withQuery(place, { range: '365d', from: null, to: null })}>
          Show the last 365 days
        </Link>
      }
    />
  );
}

/** Three reasons, three next steps: the storage cannot, the rubric has just changed, or nothing has been sent yet. */
function NoVerdict({ data }: { data: Pictured }) {
  const { place } = useNavigation();
  const pinned = data.config.shadow_comparison_judge_prompt_version;
  if (!data.supported) {
    return (
      <Nothing
        cause="This server's storage does not keep shadow verdicts."
        action={<Link class="button primary" to="/system">See the system page</Link>}
      />
    );
  }
  const older = data.trend !== undefined && pinned !== undefined && data.trend.judge_prompt_version !== '' && data.trend.judge_prompt_version !== pinned;
  if (older || data.config.shadow_mode_enabled) {
    return (
      <Nothing
        cause={`No comparison has been judged under rubric ${pinned ?? 'now pinned'} yet.`}
        detail="Verdicts of an earlier rubric are not shown, because the two cannot be compared. New ones appear as turns with a shadow response arrive."
        action={<Link class="button primary" to={withQuery(place, { range: '365d', from: null, to: null })}>Look at the last 365 days</Link>}
      />
    );
  }
  return (
    <Nothing
      cause="No turn with a shadow response has been published yet."
      detail="Publish an agent turn with shadow_content beside its content; it is then judged without the user seeing it."
      action={<a class="button primary" href="/api/docs">See how to publish</a>}
    />
  );
}
