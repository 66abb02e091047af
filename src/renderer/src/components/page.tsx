// The layout of a screen: its head, its body, and cards.
import type { ReactNode } from 'react';
import { useTitle } from '../router/title.ts';
import classes from './page.module.css';

interface PageProps {
  readonly children: ReactNode;
  /** The body fills the rest of the window and scrolls inside, as lists do. */
  readonly fill?: boolean;
}

/** Wraps the content of one screen. */
export function Page({ children, fill = false }: PageProps) {
  return (
    <div className={classes.page} data-fill={fill || undefined}>
      {children}
    </div>
  );
}

interface PageHeaderProps {
  /** The screen's name; also the window's title. */
  readonly title: string;
  /** A count or one line beside the name. */
  readonly aside?: ReactNode;
  /** The screen's main actions, on the right. */
  readonly actions?: ReactNode;
}

export function PageHeader({ title, aside, actions }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className={classes.header}>
      <h1 className={classes.title}>{title}</h1>
      {aside !== undefined && <div className={classes.aside}>{aside}</div>}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}

interface SectionCardProps {
  readonly title: string;
  /** One line of description. */
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** Actions at the lower edge: save, discard. */
  readonly footer?: ReactNode;
  /** Without padding, for a list. */
  readonly flush?: boolean;
}

/** A card with a head, for overviews and settings. */
export function SectionCard({ title, description, actions, children, footer, flush = false }: SectionCardProps) {
  return (
    <section className={classes.card} aria-label={title}>
      <header className={classes.cardHeader}>
        <div>
          <h2 className={classes.cardTitle}>{title}</h2>
          {description !== undefined && <p className={classes.cardText}>{description}</p>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children !== undefined && <div className={flush ? classes.cardFlush : classes.cardBody}>{children}</div>}
      {footer !== undefined && <footer className={classes.cardFooter}>{footer}</footer>}
    </section>
  );
}
