/** Find a session: the judged ones by outcome, or everything that was published. */
import { Link, useNavigation, withQuery } from '../app/router';
import { PageHead } from '../app/shell';
import { useView } from '../app/use-view';
import { JudgedSessions } from '../parts/sessions/judged';
import { PublishedSessions } from '../parts/sessions/published';

export default function Sessions() {
  const { place } = useNavigation();
  const view = useView();
  const published = place.query.get('list') === 'published';
  return (
    <>
      <PageHead title="Sessions" />
      <nav class="tabs" aria-label="Which sessions">
        <Link to={withQuery(place, { list: null, before: null, skip: null })} aria-current={published ? undefined : 'page'}>
          Judged
        </Link>
        <Link to={withQuery(place, { list: 'published', before: null, skip: null, cursor: null })} aria-current={published ? 'page' : undefined}>
          Published
        </Link>
      </nav>
      {published ? <PublishedSessions view={view} /> : <JudgedSessions view={view} />}
    </>
  );
}
