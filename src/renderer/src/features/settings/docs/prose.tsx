// Renders the subset of Markdown that API descriptions and guides use: paragraphs, headings, lists, tables, code blocks, links, `code`, *names*
// and **strong** words.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block.tsx';
import classes from './docs.module.css';

/** A fenced code block, whose blank lines do not separate paragraphs. */
const FENCED = /^(```\w+\n[\s\S]*?\n```)$/m;
/** Titles of code blocks by the language of their fence. */
const LANGUAGES: Readonly<Record<string, string>> = { js: 'Node.js', python: 'Python', go: 'Go' };

export function Prose({ text }: { readonly text: string }) {
  const { t } = useTranslation('settings');
  return text.split(FENCED).flatMap((part) => {
    const [, language = '', code] = /^```(\w+)\n([\s\S]*)\n```$/.exec(part) ?? [];
    if (code !== undefined) {
      const title = LANGUAGES[language] ?? language;
      return <CodeBlock key={part} title={title} code={code} copyLabel={t('api.docs.copyCode')} />;
    }
    return part
      .trim()
      .split(/\n{2,}/)
      .map((block) => <ProseBlock key={block} block={block} />);
  });
}

function ProseBlock({ block }: { readonly block: string }) {
  if (block.startsWith('|')) return <ProseTable lines={block.split('\n')} />;
  if (block.startsWith('## ')) return <h2>{block.slice(3)}</h2>;
  const [, mark] = /^(- |1\. )/.exec(block) ?? [];
  if (mark === undefined) return <p>{renderInline(block)}</p>;
  const items = block.split(/^(?:- |\d+\. )/m).slice(1);
  const List = mark === '- ' ? 'ul' : 'ol';
  return (
    <List>
      {items.map((item) => (
        <li key={item}>{renderInline(item.trim())}</li>
      ))}
    </List>
  );
}

function ProseTable({ lines }: { readonly lines: readonly string[] }) {
  const [head = [], , ...rows] = lines.map((line) => line.split('|').slice(1, -1));
  return (
    <div className={classes.tableFrame}>
      <table className={classes.table}>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell.trim()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell) => (
                <td key={cell}>{renderInline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders the inline Markdown of a text. */
export function renderInline(text: string): ReactNode {
  return text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`|\[[^\]]+\]\(https:[^)\s]+\))/).map((part, index) => {
    const [, label, href] = /^\[(.*)\]\((.*)\)$/.exec(part) ?? [];
    if (label !== undefined && href !== undefined)
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
        <a key={index} href={href} target="_blank" rel="noreferrer">
          {label}
        </a>
      );
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
    if (part.startsWith('**')) return <strong key={index}>{renderInline(part.slice(2, -2))}</strong>;
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
    if (/^\*.+\*$/.test(part)) return <em key={index}>{part.slice(1, -1)}</em>;
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are never reordered.
    return <Fragment key={index}>{part}</Fragment>;
  });
}
