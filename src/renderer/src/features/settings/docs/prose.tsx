// The Markdown that the API's descriptions use: paragraphs, tables, `code` and **strong** words.
import { Fragment, type ReactNode } from 'react';
import classes from './docs.module.css';

export function Prose({ text }: { readonly text: string }) {
  return text
    .split(/\n{2,}/)
    .map((block) =>
      block.startsWith('|') ? (
        <ProseTable key={block} lines={block.split('\n')} />
      ) : (
        <p key={block}>{wordsOf(block)}</p>
      ),
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
                <td key={cell}>{wordsOf(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One line of text with its code and strong words. */
export function wordsOf(text: string): ReactNode {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    if (part.startsWith('**')) return <strong key={index}>{wordsOf(part.slice(2, -2))}</strong>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
    return <Fragment key={index}>{part}</Fragment>;
  });
}
