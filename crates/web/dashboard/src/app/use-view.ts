/** The view of the page at hand, steady for as long as the address is. */
import { useMemo } from 'preact/hooks';
import { useNavigation } from './router';
import { nowMinute, readView, type View } from './window';

export function useView(): View {
  const { place } = useNavigation();
  return useMemo(() => readView(place, nowMinute()), [place.query.toString()]);
}
