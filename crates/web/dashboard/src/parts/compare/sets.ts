/** The source sets of a comparison, as the address holds them: one `set` per set, its sources joined by commas. */
import { sourceName } from '../../format/names';

export interface SourceSet {
  label: string;
  sources: string[];
}

export const MOST_SETS = 6;

const labelOf = (sources: string[]) => sources.map(sourceName).join(' + ').slice(0, 255);

/** Null when the address names no set at all; the same source twice counts once. */
export function readSets(query: URLSearchParams): SourceSet[] | null {
  const texts = query.getAll('set');
  if (texts.length === 0) return null;
  const seen = new Set<string>();
  const sets: SourceSet[] = [];
  for (const text of texts.slice(0, MOST_SETS)) {
    if (text === '-') continue;
    const sources = text.split(',').map(decode).filter((source) => !seen.has(source));
    sources.forEach((source) => seen.add(source));
    if (sources.length > 0) sets.push({ label: labelOf(sources), sources });
  }
  return sets;
}

/** The query with these sets; a comparison of nothing is written as one dash, so that it is not the default again. */
export function writeSets(query: URLSearchParams, sets: SourceSet[]): string {
  const next = new URLSearchParams(query);
  next.delete('set');
  if (sets.length === 0) next.append('set', '-');
  for (const set of sets) next.append('set', set.sources.map(encode).join(','));
  return next.toString();
}

/** Each source a set of its own; the nameless one last, because the first is what the others are compared with. */
export const defaultSets = (sources: string[]): SourceSet[] =>
  [...sources]
    .sort((a, b) => Number(a === '') - Number(b === ''))
    .slice(0, MOST_SETS)
    .map((source) => ({ label: labelOf([source]), sources: [source] }));

/** Puts one source into set `target` (or into none) and drops sets that became empty. */
export function moveSource(sets: SourceSet[], source: string, target: number | null): SourceSet[] {
  const next = sets.map((set) => set.sources.filter((each) => each !== source));
  if (target !== null) next[target] = [...(next[target] ?? []), source];
  return next.filter((sources) => sources !== undefined && sources.length > 0).map((sources) => ({ label: labelOf(sources), sources }));
}

const encode = (source: string) => encodeURIComponent(source).replaceAll('-', '%2D');
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
