// "Try it": sends a GET with the entered parameters and key through the panel, and shows the reply.
import { Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { type SyntheticEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiOperation } from '../../../../../contract/operation.ts';
import type { Output } from '../../../../../contract/table.ts';
import { useShortcuts } from '../../../components/acts/keys.ts';
import { usePanel } from '../../../data/panel.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { notifyFailure } from '../../../state/messages.ts';
import { buildCurlExample } from '../api/curl.ts';
import type { Api } from '../api/use-api.ts';
import { CodeBlock } from './code-block.tsx';
import classes from './docs.module.css';
import { Fold } from './fields.tsx';
import { type ApiDocument, listValues, type Parameter } from './reference.ts';
import { formatBody, missingIn, requestPath, type Typed } from './request.ts';

interface TryItProps {
  readonly api: Api;
  readonly document: ApiDocument;
  readonly operation: ApiOperation;
  /** Parameters of path and query. */
  readonly parameters: readonly Parameter[];
  /** Entered once for all methods, and stored in the page's state only. */
  readonly apiKey: string;
  readonly onKey: (key: string) => void;
}

/** If a method has more parameters, the optional ones are folded. */
const SHOWN_PARAMETERS = 5;

interface Answer extends Output<'tryApi'> {
  readonly path: string;
  readonly milliseconds: number;
}

export function TryIt({ api, document, operation, parameters, apiKey, onKey }: TryItProps) {
  const { t } = useTranslation('settings');
  const { client } = usePanel();
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(
      parameters.filter(({ in: where }) => where === 'path').map(({ name, example }) => [name, String(example ?? '')]),
    ),
  );
  const [type, setType] = useState(operation.produces[0] ?? '');
  const [isAsked, setAsked] = useState(false);
  const [isSending, setSending] = useState(false);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const key = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: 't', label: t('api.docs.try'), group: 'list', run: () => key.current?.focus() }]);
  const missing = isAsked ? missingIn(parameters, typed) : [];
  const isShown = ({ required }: Parameter) => required === true || parameters.length <= SHOWN_PARAMETERS;
  const folded = parameters.filter((parameter) => !isShown(parameter));
  const input = (parameter: Parameter) => (
    <ParameterInput
      key={parameter.name}
      document={document}
      parameter={parameter}
      value={typed[parameter.name] ?? ''}
      isMissing={missing.includes(parameter.name)}
      onChange={(value) => setTyped((all) => ({ ...all, [parameter.name]: value }))}
    />
  );
  const send = async (event: SyntheticEvent) => {
    event.preventDefault();
    setAsked(true);
    if (missingIn(parameters, typed).length > 0 || isSending) return;
    const path = requestPath(operation.path, parameters, typed);
    setSending(true);
    const start = performance.now();
    try {
      const reply = await client.tryApi({ path, key: apiKey.trim(), accept: type });
      setAnswer({ ...reply, path, milliseconds: performance.now() - start });
    } catch (failure) {
      notifyFailure(failure);
    } finally {
      setSending(false);
    }
  };
  return (
    <section className={classes.try} aria-label={t('api.docs.try')}>
      <h3 className={classes.tryTitle}>{t('api.docs.try')}</h3>
      <form className={classes.tryForm} noValidate onSubmit={(event) => void send(event)}>
        <PasswordInput
          ref={key}
          label={t('api.docs.key')}
          description={t('api.docs.keyHint')}
          placeholder="pnl_…"
          autoComplete="off"
          data-1p-ignore
          data-lpignore="true"
          value={apiKey}
          onChange={(event) => onKey(event.currentTarget.value)}
        />
        {parameters.filter(isShown).map(input)}
        {folded.length > 0 && (
          <Fold title={t('api.docs.parameters', { count: folded.length })}>
            {() => <div className={classes.tryForm}>{folded.map(input)}</div>}
          </Fold>
        )}
        {operation.produces.length > 1 && (
          <Select
            label={t('api.docs.accept')}
            data={[...operation.produces]}
            value={type}
            allowDeselect={false}
            onChange={(value) => setType(value ?? type)}
          />
        )}
        <Button type="submit" leftSection={<IconPlayerPlay size={16} stroke={1.5} />} loading={isSending}>
          {t('api.docs.send')}
        </Button>
      </form>
      <div role="status" className={classes.answer}>
        {answer !== null && <AnswerView api={api} answer={answer} />}
      </div>
    </section>
  );
}

interface ParameterInputProps {
  readonly document: ApiDocument;
  readonly parameter: Parameter;
  readonly value: string;
  readonly isMissing: boolean;
  readonly onChange: (value: string) => void;
}

function ParameterInput({ document, parameter, value, isMissing, onChange }: ParameterInputProps) {
  const { t } = useTranslation('settings');
  const { name, schema, required = false, example } = parameter;
  const values = schema.type === 'boolean' ? ['true', 'false'] : listValues(document, schema);
  // A list accepts several values, so it is a text field.
  if (values.length > 0 && schema.type !== 'array') {
    return (
      <Select
        label={name}
        placeholder={schema.default === undefined ? t('api.docs.notSent') : String(schema.default)}
        data={[...values]}
        value={value === '' ? null : value}
        clearable
        clearButtonProps={{ 'aria-label': t('api.docs.clear', { name }) }}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  }
  const hint = schema.type === 'object' ? t('api.docs.pair') : (example ?? schema.default ?? schema.examples?.[0]);
  return (
    <TextInput
      label={name}
      required={required}
      error={isMissing && t('api.docs.missing')}
      placeholder={hint === undefined ? t('api.docs.notSent') : [hint].flat().join(',')}
      value={value}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function AnswerView({ api, answer }: { readonly api: Api; readonly answer: Answer }) {
  const { t } = useTranslation('settings');
  const { bytes, number } = useFormat();
  const { status, headers, body, path, milliseconds } = answer;
  const size = new TextEncoder().encode(body).length;
  const tone = status < 300 ? 'ok' : status < 400 ? 'info' : 'bad';
  return (
    <>
      <CodeBlock
        title={t('api.docs.answer')}
        copyLabel={t('api.docs.copyAnswer')}
        code={formatBody(body, headers['content-type'])}
        head={
          <span className={classes.status}>
            <strong data-tone={tone}>{status}</strong>
            <span>{t('api.docs.took', { text: number(Math.round(milliseconds)) })}</span>
            <span>{bytes(size)}</span>
          </span>
        }
      />
      <Fold title={t('api.docs.headers')}>
        {() => (
          <dl className={classes.headers} lang="en">
            {Object.entries(headers).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Fold>
      <CodeBlock
        title={t('api.docs.sent')}
        copyLabel={t('api.docs.copyCurl')}
        code={buildCurlExample(api, path, null)}
      />
    </>
  );
}
