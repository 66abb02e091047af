// The gallery's pages: `#/table`, `#/form`, and all small components at the root.
import { SegmentedControl } from '@mantine/core';
import { buildHash } from '../router/route.ts';
import { useRoute } from '../router/router.ts';
import { changeView } from '../state/view.ts';
import { useScheme } from '../theme/use-scheme.ts';
import { FormGallery } from './form-gallery.tsx';
import classes from './gallery.module.css';
import { SmallGallery } from './small-gallery.tsx';
import { StateGallery } from './state-gallery.tsx';
import { TableGallery } from './table-gallery.tsx';

const PAGES = { small: SmallGallery, table: TableGallery, states: StateGallery, form: FormGallery } as const;
type PageName = keyof typeof PAGES;

export function Gallery() {
  const { path } = useRoute();
  const scheme = useScheme();
  const name = path[0] !== undefined && path[0] in PAGES ? (path[0] as PageName) : 'small';
  const Page = PAGES[name];
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <h1 className="visually-hidden">Components</h1>
        {Object.keys(PAGES).map((one) => (
          <a key={one} href={buildHash([one])} aria-current={one === name ? 'page' : undefined}>
            {one}
          </a>
        ))}
        <SegmentedControl
          aria-label="Theme"
          value={scheme}
          onChange={(theme) => changeView({ theme: theme === 'dark' ? 'dark' : 'light' })}
          data={['light', 'dark']}
        />
      </header>
      <main className={classes.main}>
        <Page />
      </main>
    </div>
  );
}
