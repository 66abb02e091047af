// A method of the API: description, parameters, replies, the request in several languages, and for GET a form to try it.
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiOperation } from '../../../../../contract/operation.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark } from '../../../components/state.tsx';
import { buildHash } from '../../../router/route.ts';
import { exampleSamples } from '../api/curl.ts';
import type { Api } from '../api/use-api.ts';
import { CodeBlock } from './code-block.tsx';
import classes from './docs.module.css';
import { FieldList, Fold } from './fields.tsx';
import { DOCS, findNeighbours } from './methods.ts';
import { Prose, renderInline } from './prose.tsx';
import {
  type ApiDocument,
  type DescribedOperation,
  listBranches,
  listFailures,
  listParameters,
  listSuccesses,
  type Parameter,
  pickContent,
  type Success,
} from './reference.ts';
import { TryIt } from './try-it.tsx';

/** Choices that apply to all methods. */
export interface Choices {
  readonly apiKey: string;
  readonly onKey: (key: string) => void;
  /** Label of the language of the samples. */
  readonly language: string;
  readonly onLanguage: (language: string) => void;
}

interface OperationViewProps extends Choices {
  readonly api: Api;
  readonly document: ApiDocument;
  readonly operation: ApiOperation;
}

export function OperationView({ api, document, operation, ...choices }: OperationViewProps) {
  const { t } = useTranslation('settings');
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'start' });
  }, []);
  const { id, method, path, summary, description, access } = operation;
  const described = document.paths[path]?.[method.toLowerCase()];
  if (described === undefined) return <EmptyState title={t('api.docs.unknown')} />;
  const inPath = listParameters(document, described, 'path');
  const inQuery = listParameters(document, described, 'query');
  const successes = listSuccesses(document, described);
  return (
    <article ref={top} className={classes.operation} aria-labelledby={`method-${id}`} data-operation={id}>
      <div className={classes.text}>
        <header className={classes.head}>
          <h2 id={`method-${id}`} lang="en">
            {summary}
          </h2>
          <p className={classes.line}>
            <MethodName method={method} />
            <code className={classes.path}>{path}</code>
            <CopyButton value={`${api.baseUrl}${path}`} label={t('api.docs.copyUrl')} />
          </p>
          <p className={classes.access}>
            <Mark {...(access === 'full' && { tone: 'warn' as const })}>
              {t(access === 'full' ? 'api.full' : 'api.read')}
            </Mark>
            {t(access === 'full' ? 'api.docs.asksFull' : 'api.docs.asksRead')}
          </p>
        </header>
        {description !== undefined && (
          <div className={classes.prose} lang="en">
            <Prose text={description} />
          </div>
        )}
        <Parameters document={document} title={t('api.docs.inPath')} parameters={inPath} />
        <Parameters document={document} title={t('api.docs.inQuery')} parameters={inQuery} />
        <Parameters
          document={document}
          title={t('api.docs.inHeader')}
          parameters={listParameters(document, described, 'header')}
        />
        <Body document={document} described={described} />
        {successes.map((success) => (
          <SuccessPart key={success.status} document={document} success={success} />
        ))}
        <Failures document={document} described={described} />
        <Neighbours id={id} />
      </div>
      <div className={classes.beside}>
        <Samples api={api} id={id} {...choices} />
        {method === 'GET' && (
          <TryIt
            api={api}
            document={document}
            operation={operation}
            parameters={[...inPath, ...inQuery]}
            apiKey={choices.apiKey}
            onKey={choices.onKey}
          />
        )}
        {successes.map(({ status, example }) =>
          example === undefined ? null : (
            <CodeBlock
              key={status}
              title={t('api.docs.replyExample', { status })}
              copyLabel={t('api.docs.copyExample')}
              code={typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
            />
          ),
        )}
      </div>
    </article>
  );
}

export function MethodName({ method }: { readonly method: string }) {
  return (
    <span className={classes.method} data-method={method}>
      {method}
    </span>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface ParametersProps {
  readonly document: ApiDocument;
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

function Parameters({ document, title, parameters }: ParametersProps) {
  if (parameters.length === 0) return null;
  return (
    <Part title={title}>
      <FieldList
        document={document}
        fields={parameters.map(({ name, schema, required = false, description, example }) => ({
          name,
          schema,
          isRequired: required,
          description,
          example,
        }))}
      />
    </Part>
  );
}

interface DescribedProps {
  readonly document: ApiDocument;
  readonly described: DescribedOperation;
}

function Body({ document, described: { requestBody } }: DescribedProps) {
  const { t } = useTranslation('settings');
  if (requestBody === undefined) return null;
  const schema = pickContent(requestBody.content)?.schema;
  const branches = schema === undefined ? [] : listBranches(document, schema);
  return (
    <Part title={t('api.docs.body')}>
      <p className={classes.types} lang="en">
        {Object.keys(requestBody.content).map((type) => (
          <code key={type}>{type}</code>
        ))}
      </p>
      {requestBody.description !== undefined && (
        <p className={classes.fieldText} lang="en">
          {renderInline(requestBody.description)}
        </p>
      )}
      {branches.map(({ name, fields }) => (
        <FieldList key={name} document={document} fields={fields} />
      ))}
    </Part>
  );
}

function SuccessPart({ document, success }: { readonly document: ApiDocument; readonly success: Success }) {
  const { t } = useTranslation('settings');
  const { status, description, types, schema, headers } = success;
  const branches = schema === undefined ? [] : listBranches(document, schema);
  return (
    <Part title={t('api.docs.reply', { status })}>
      <p className={classes.types} lang="en">
        {description}{' '}
        {types.map((type) => (
          <code key={type}>{type}</code>
        ))}
      </p>
      {branches.map(({ name, fields }) => (
        <FieldList key={name} document={document} fields={fields} showsRequired={false} />
      ))}
      <Fold title={t('api.docs.headers')}>
        {() => (
          <dl className={classes.headers} lang="en">
            {headers.map(({ name, description: about = '' }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{renderInline(about)}</dd>
              </div>
            ))}
          </dl>
        )}
      </Fold>
    </Part>
  );
}

function Failures({ document, described }: DescribedProps) {
  const { t } = useTranslation('settings');
  return (
    <Part title={t('api.docs.errors')}>
      <ul className={classes.failures}>
        {listFailures(document, described).map(({ status, code, title, example }) => (
          <li key={code}>
            <span className={classes.failureStatus}>{status}</span>
            <div lang="en">
              <code>{code}</code> {title}
              {example !== undefined && (
                <Fold title={t('api.docs.example')}>
                  {() => (
                    <CodeBlock
                      title={code}
                      copyLabel={t('api.docs.copyExample')}
                      code={JSON.stringify(example, null, 2)}
                    />
                  )}
                </Fold>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

interface SamplesProps extends Choices {
  readonly api: Api;
  readonly id: string;
}

function Samples({ api, id, language, onLanguage }: SamplesProps) {
  const { t } = useTranslation('settings');
  const samples = exampleSamples(api, id);
  const shown = samples.find(({ label }) => label === language) ?? samples[0];
  if (shown === undefined) return null;
  return (
    <CodeBlock
      title={t('api.docs.sample', { language: shown.label })}
      copyLabel={shown.label === 'curl' ? t('api.docs.copyCurl') : t('api.docs.copyCode')}
      code={shown.source}
      head={
        <fieldset className={classes.languages} aria-label={t('api.docs.language')}>
          {samples.map(({ label }) => (
            <button
              key={label}
              type="button"
              aria-pressed={label === shown.label}
              lang="en"
              onClick={() => onLanguage(label)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      }
    />
  );
}

/** Links to the previous and the next method. */
function Neighbours({ id }: { readonly id: string }) {
  const { t } = useTranslation('settings');
  const { previous, next } = findNeighbours(id);
  return (
    <nav className={classes.neighbours} aria-label={t('api.docs.neighbours')} lang="en">
      {previous && (
        <a href={buildHash([...DOCS, previous.id])} rel="prev">
          <IconChevronLeft size={16} stroke={1.5} aria-hidden />
          {previous.summary}
        </a>
      )}
      {next && (
        <a href={buildHash([...DOCS, next.id])} rel="next">
          {next.summary}
          <IconChevronRight size={16} stroke={1.5} aria-hidden />
        </a>
      )}
    </nav>
  );
}
