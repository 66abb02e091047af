// A piece of code with its strings, numbers and words of the language in colours, and a button that copies it.
import type { ReactNode } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import classes from './docs.module.css';

interface CodeBlockProps {
  /** What the code is, for its head and for screen readers. */
  readonly title: string;
  readonly code: string;
  readonly copyLabel: string;
  /** In the head, instead of the title. */
  readonly head?: ReactNode;
}

export function CodeBlock({ title, code, copyLabel, head }: CodeBlockProps) {
  return (
    <figure className={classes.code} aria-label={title}>
      <figcaption className={classes.codeHead}>
        {head ?? <span>{title}</span>}
        <CopyButton value={code} label={copyLabel} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll what is wider than its box. */}
      <pre tabIndex={0} lang="en" translate="no">
        {colouredCode(code)}
      </pre>
    </figure>
  );
}

const TOKEN =
  /("(?:\\.|[^"\\\n])*"(?:\s*:)?|'(?:[^'\\]|\\.)*'|(?<![:\w])\/\/[^\n]*|(?<![\w-])(?:await|const|import|with|as|if|throw|new|null|true|false|None|True|False)(?![\w-])|(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.]))/;

/** Beyond this a reply is shown in one colour: thousands of elements would make the page slow. */
const COLOURED_CHARACTERS = 20_000;

function colouredCode(code: string): ReactNode {
  if (code.length > COLOURED_CHARACTERS) return code;
  return code.split(TOKEN).map((part, index) => {
    const kind = index % 2 === 1 ? classifyToken(part) : null;
    return kind === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
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
