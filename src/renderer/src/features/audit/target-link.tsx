// The record that an entry is about, as a link with its name.
import { useQuery } from '@tanstack/react-query';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { usePanel } from '../../data/panel.tsx';
import { showHidden } from '../../format/show-hidden.ts';
import { buildHash } from '../../router/route.ts';
import classes from './audit.module.css';
import { buildTargetPath, isGone, parseTarget } from './target.ts';
import type { EntryTexts } from './use-entry-texts.ts';

interface TargetLinkProps {
  readonly entry: Pick<AuditEntry, 'target' | 'detail' | 'action'>;
  readonly texts: EntryTexts;
}

export function TargetLink({ entry, texts }: TargetLinkProps) {
  const target = entry.target === null ? null : parseTarget(entry.target);
  const named = texts.findName(entry);
  const user = useUserName(target?.kind === 'user' && named === null ? Number(target.id) : null);
  if (entry.target === null) return <span className={classes.quiet}>—</span>;
  if (target === null) return <span>{entry.target}</span>;
  const name = named ?? user;
  const kind = texts.describeTarget(target);
  const text = (
    <>
      {name === null ? kind : showHidden(name)}
      {name !== null && <span className={classes.kind}>{kind}</span>}
    </>
  );
  if (isGone(entry.action)) return <span className={classes.target}>{text}</span>;
  return (
    <a className={classes.target} href={buildHash(buildTargetPath(target))}>
      {text}
    </a>
  );
}

/** A user's name, read once, as changes of it do not matter here. null: unknown or not needed. */
function useUserName(id: number | null): string | null {
  const { client } = usePanel();
  const { data } = useQuery({
    queryKey: ['name of user', id],
    queryFn: async ({ signal }) => (await client.getUser({ id: id ?? 0 }, { signal })).name,
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? null;
}
