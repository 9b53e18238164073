/** The tiles: each number with what it rests on, and a change that stays grey until its interval leaves zero. */
import type { ContextTile, PartnerTileRow } from '../../api/types';
import { change, count, counted, figure, interval, NOT_MEASURED, percent, points } from '../../format/number';
import type { Delta, TileDeltas } from '../../stats/deltas';

interface TileProps {
  name: string;
  value: string;
  basis: string;
  delta?: Delta;
  unit?: 'points' | 'plain';
}

function Tile({ name, value, basis, delta, unit = 'plain' }: TileProps) {
  return (
    <div class="tile" data-tile={name}>
      <h3>{name}</h3>
      <p class={`value${value === NOT_MEASURED ? ' unmeasured' : ''}`}>{value}</p>
      {delta && <Change delta={delta} unit={unit} />}
      <p class="soft">{basis}</p>
    </div>
  );
}

const signs = { better: '▲ better', worse: '▼ worse', unclear: 'no clear change' };

function Change({ delta, unit }: { delta: Delta; unit: 'points' | 'plain' }) {
  if (delta.direction === 'no_baseline') return <p class="delta">no earlier sessions to compare with</p>;
  const show = unit === 'points' ? points : (value: number | null) => change(value, 2);
  const range = delta.ci ? `95 % interval ${interval(delta.ci, (value) => change(value, unit === 'points' ? 1 : 2))}` : 'no interval known';
  return (
    <p class={`delta ${delta.direction}`} title={range}>
      {`${show(delta.value)}, ${signs[delta.direction]}`}
      <span class="soft">{range}</span>
    </p>
  );
}

export function Tiles({ tiles, deltas }: { tiles: ContextTile; deltas: TileDeltas }) {
  const n = tiles.current_sessions;
  const basis = `last 7 days, n ${count(n)}`;
  const behavior = tiles.behavior_success;
  const any = n > 0;
  const range = tiles.success.ci95 ? `, ${interval(tiles.success.ci95, (value) => percent(value, 0))}` : '';
  return (
    <div class="tiles">
      <h2 class="hidden">The last 7 days against the 7 days before</h2>
      <Tile name="Success" value={any ? percent(tiles.success.current) : NOT_MEASURED} basis={basis + range} delta={deltas.success} unit="points" />
      <Tile
        name="Success without system errors"
        value={percent(behavior.current)}
        basis={`n ${count(behavior.eligible_sessions)}, ${counted(behavior.excluded_system_errors, 'system error')} left out`}
        delta={deltas.behavior}
        unit="points"
      />
      <Tile name="Corrections per session" value={any ? figure(tiles.corrections.current) : NOT_MEASURED} basis={basis} delta={deltas.corrections} />
      <Tile
        name="Turns to resolution"
        value={any && tiles.success.current > 0 ? figure(tiles.turns.current, 1) : NOT_MEASURED}
        basis="successful sessions of the last 7 days"
        delta={deltas.turns}
      />
      <Tile name="Escalated" value={any ? percent(tiles.escalation.current) : NOT_MEASURED} basis={basis} delta={deltas.escalation} unit="points" />
    </div>
  );
}

export function PartnerTiles({ rows }: { rows: PartnerTileRow[] }) {
  return (
    <div class="tiles">
      {rows.map((row) => (
        <Tile
          key={row.scorer_name}
          name={row.scorer_name}
          value={row.n > 0 ? figure(row.current) : NOT_MEASURED}
          basis={`mean of the last 7 days, n ${count(row.n)}; change ${change(row.delta, 2)}, no interval known`}
        />
      ))}
    </div>
  );
}
