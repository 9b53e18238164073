/** The right to be forgotten: export a user's data, erase a user, look up an erasure. */
import { Link, useNavigation } from '../app/router';
import { useMay, useSession } from '../app/session';
import { PageHead } from '../app/shell';
import { EraseUser } from '../parts/governance/erase';
import { ExportUser } from '../parts/governance/export';
import { PurgeLookup } from '../parts/governance/purge-lookup';
import { Forbidden } from '../ui/states';

const tabs = { export: 'Export', erase: 'Erase', status: 'Status of an erasure' } as const;
type Tab = keyof typeof tabs;

export default function Governance() {
  const { place } = useNavigation();
  const asked = place.query.get('tab');
  const tab: Tab = asked !== null && asked in tabs ? (asked as Tab) : 'export';
  return (
    <>
      <PageHead title="Governance" lead="Every export and erasure leaves an audit entry that holds references and counts, never a user id." />
      {useMay('governance') ? (
        <>
          <nav class="tabs no-print" aria-label="Governance">
            {Object.entries(tabs).map(([key, name]) => (
              <Link key={key} to={`/governance?tab=${key}`} aria-current={key === tab ? 'page' : undefined}>
                {name}
              </Link>
            ))}
          </nav>
          {tab === 'export' && <ExportUser />}
          {tab === 'erase' && <EraseUser />}
          {tab === 'status' && <PurgeLookup />}
        </>
      ) : (
        <NoPermission />
      )}
    </>
  );
}

function NoPermission() {
  const { leave } = useSession();
  return (
    <Forbidden detail="You are signed in, but this credential lacks the permission “governance”. Exports and erasures need a credential that was made for them:">
      <pre>touchstone credential create --kind dashboard --governance</pre>
      <div class="next">
        <button type="button" onClick={() => void leave()}>
          Sign in with another credential
        </button>
      </div>
    </Forbidden>
  );
}
