// The Markdown that the API's descriptions use: paragraphs, tables, blocks of code, `code` and **strong** words.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block.tsx';
import classes from './docs.module.css';

/** A block of code with its fences: blank lines within it separate no paragraphs. */
const FENCED = /^(```\w+\n[\s\S]*?\n```)$/m;
/** What a fence names as the language of its code. */
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
      .map((block) =>
        block.startsWith('|') ? (
          <ProseTable key={block} lines={block.split('\n')} />
        ) : (
          <p key={block}>{renderInline(block)}</p>
        ),
      );
  });
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

/** One line of text with its code and strong words. */
export function renderInline(text: string): ReactNode {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    if (part.startsWith('**')) return <strong key={index}>{renderInline(part.slice(2, -2))}</strong>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    return <Fragment key={index}>{part}</Fragment>;
  });
}
