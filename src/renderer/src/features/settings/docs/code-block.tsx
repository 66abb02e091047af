// A block of code with highlighted strings, numbers and keywords, and a copy button.
import type { ReactNode } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import classes from './docs.module.css';

interface CodeBlockProps {
  /** Title of the block, also for screen readers. */
  readonly title: string;
  readonly code: string;
  readonly copyLabel: string;
  /** Replaces the title in the head. */
  readonly head?: ReactNode;
}

export function CodeBlock({ title, code, copyLabel, head }: CodeBlockProps) {
  return (
    <figure className={classes.code} aria-label={title}>
      <figcaption className={classes.codeHead}>
        {head ?? <span>{title}</span>}
        <CopyButton value={code} label={copyLabel} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide code must be scrollable by keyboard. */}
      <pre tabIndex={0} lang="en" translate="no">
        {colouredCode(code)}
      </pre>
    </figure>
  );
}

const TOKEN =
  /("(?:\\.|[^"\\\n])*"(?:\s*:)?|'(?:[^'\\]|\\.)*'|(?<![:\w])\/\/[^\n]*|(?<![\w-])(?:await|const|import|with|as|if|throw|new|null|true|false|None|True|False)(?![\w-])|(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.]))/;

/** Longer code is not highlighted: thousands of elements would make the page slow. */
const COLOURED_CHARACTERS = 20_000;

function colouredCode(code: string): ReactNode {
  if (code.length > COLOURED_CHARACTERS) return code;
  return code.split(TOKEN).map((part, index) => {
    const kind = index % 2 === 1 ? classifyToken(part) : null;
    return kind === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
      <span key={index} data-token={kind}>
        {part}
      </span>
    );
  });
}

function classifyToken(token: string): 'name' | 'text' | 'note' | 'number' | 'word' {
  if (token.startsWith('//')) return 'note';
  if (/^["']/.test(token)) return token.endsWith(':') ? 'name' : 'text';
  return /^-?\d/.test(token) ? 'number' : 'word';
}
