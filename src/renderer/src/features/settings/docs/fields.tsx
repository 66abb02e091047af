// Lists of the fields of a body or reply, or the parameters of a request: name, type, bounds and meaning. Nested fields can be unfolded.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../format/use-format.tsx';
import classes from './docs.module.css';
import { renderInline } from './prose.tsx';
import {
  type ApiDocument,
  type Bound,
  type Branch,
  describeSchema,
  describeType,
  type Field,
  findPattern,
  listBounds,
  listBranches,
  listValues,
  resolve,
  type Schema,
} from './reference.ts';

interface FieldListProps {
  readonly document: ApiDocument;
  readonly fields: readonly (Field & { readonly description?: string | undefined; readonly example?: unknown })[];
  /** Marks required fields: for requests, since replies have all their members. */
  readonly showsRequired?: boolean;
}

export function FieldList({ document, fields, showsRequired = true }: FieldListProps) {
  return (
    <ul className={classes.fields}>
      {fields.map((field) => (
        <FieldRow key={field.name} document={document} field={field} showsRequired={showsRequired} />
      ))}
    </ul>
  );
}

interface FieldRowProps {
  readonly document: ApiDocument;
  readonly field: FieldListProps['fields'][number];
  readonly showsRequired: boolean;
}

function FieldRow({ document, field, showsRequired }: FieldRowProps) {
  const { t } = useTranslation('settings');
  const { name, schema, isRequired, example } = field;
  const description = field.description ?? describeSchema(document, schema);
  const branches = listBranches(document, schema);
  return (
    <li className={classes.field} data-field={name}>
      <p className={classes.fieldHead}>
        <code className={classes.fieldName}>{name}</code>
        <span className={classes.type} lang="en">
          {describeType(document, schema)}
        </span>
        {showsRequired && isRequired && <span className={classes.required}>{t('api.docs.required')}</span>}
      </p>
      {description !== undefined && (
        <p className={classes.fieldText} lang="en">
          {renderInline(description)}
        </p>
      )}
      <Rules document={document} schema={schema} example={example} />
      {branches.length > 0 && <Inside document={document} branches={branches} showsRequired={showsRequired} />}
    </li>
  );
}

interface RulesProps {
  readonly document: ApiDocument;
  readonly schema: Schema;
  readonly example: unknown;
}

/** Default, allowed values, bounds and example of a field, if it has them. */
function Rules({ document, schema, example }: RulesProps) {
  const { t } = useTranslation('settings');
  const boundText = useBoundText();
  const values = listValues(document, schema);
  const pattern = findPattern(document, schema);
  const { default: standard, items } = resolve(document, schema);
  const lines = [
    ...listBounds(document, schema).map((bound) => ({
      label: t(`api.docs.bound.${bound.of}`),
      text: boundText(bound),
    })),
    ...(items ? listBounds(document, items) : []).map((bound) => ({
      label: t(`api.docs.each.${bound.of}`),
      text: boundText(bound),
    })),
    ...(pattern === undefined ? [] : [{ label: t('api.docs.pattern'), codes: [pattern] }]),
    ...(standard === undefined ? [] : [{ label: t('api.docs.default'), codes: [JSON.stringify(standard)] }]),
    ...(values.length > 0 ? [{ label: t('api.docs.values'), codes: values }] : []),
    ...(example === undefined ? [] : [{ label: t('api.docs.example'), codes: [[example].flat().join(',')] }]),
  ];
  if (lines.length === 0) return null;
  return (
    <dl className={classes.rules}>
      {lines.map((line) => (
        <div key={line.label}>
          <dt>{line.label}</dt>
          <dd>{'codes' in line ? <Codes values={line.codes} /> : line.text}</dd>
        </div>
      ))}
    </dl>
  );
}

const SHOWN_VALUES = 12;

function Codes({ values }: { readonly values: readonly string[] }) {
  const { t } = useTranslation('settings');
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? values : values.slice(0, SHOWN_VALUES);
  return (
    <span className={classes.values}>
      {shown.map((value) => (
        <code key={value}>{value}</code>
      ))}
      {shown.length < values.length && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          {t('api.docs.more', { count: values.length - shown.length })}
        </button>
      )}
    </span>
  );
}

function useBoundText(): (bound: Bound) => string {
  const { t } = useTranslation('settings');
  const { number } = useFormat();
  return ({ min, max }) => {
    if (min !== undefined && min === max) return number(min);
    if (max === undefined) return t('api.docs.atLeast', { min: number(min ?? 0) });
    if (min === undefined) return t('api.docs.atMost', { max: number(max) });
    return t('api.docs.between', { min: number(min), max: number(max) });
  };
}

interface InsideProps {
  readonly document: ApiDocument;
  readonly branches: readonly Branch[];
  readonly showsRequired: boolean;
}

function Inside({ document, branches, showsRequired }: InsideProps) {
  const { t } = useTranslation('settings');
  const renderFields = ({ fields }: Branch) => (
    <FieldList document={document} fields={fields} showsRequired={showsRequired} />
  );
  const [first] = branches;
  if (branches.length === 1 && first) {
    return <Fold title={t('api.docs.fields', { count: first.fields.length })}>{() => renderFields(first)}</Fold>;
  }
  return (
    <Fold title={t('api.docs.kinds', { count: branches.length })}>
      {() =>
        branches.map((branch) => (
          <Fold key={branch.name} title={branch.name ?? ''}>
            {() => renderFields(branch)}
          </Fold>
        ))
      }
    </Fold>
  );
}

/** Renders its children when it is opened, because a reply may have thousands of fields. */
export function Fold({ title, children }: { readonly title: string; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.fold} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className={classes.folded}>{children()}</div>}
    </details>
  );
}
