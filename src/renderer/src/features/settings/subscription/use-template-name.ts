// The displayed name of a template; that of a built-in one is translated.
import { useTranslation } from 'react-i18next';
import {
  BUILT_IN_TEMPLATES,
  type BuiltInTemplate,
  type SubscriptionTemplates,
} from '../../../../../contract/subscription/templates.ts';

export function useTemplateName() {
  const { t } = useTranslation('settings');
  return ({ id, name }: Pick<SubscriptionTemplates['items'][number], 'id' | 'name'>): string => {
    const isBuiltIn = (one: string): one is BuiltInTemplate => BUILT_IN_TEMPLATES.some((known) => known === one);
    return name ?? (isBuiltIn(id) ? t(`subscription.templates.name.${id}`) : id);
  };
}
