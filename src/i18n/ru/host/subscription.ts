// What a user's client shows in place of a connection while there is none, in Russian.
import type { subscription as english } from '../../en/host/subscription.ts';
import type { Russian } from '../russian.ts';

export const subscription: Russian<typeof english> = {
  expired: 'Срок истёк {{day}}',
  limited: 'Трафик израсходован',
  limitedUntil: 'Трафик израсходован, обновится {{day}}',
  disabled: 'Доступ отключён',
  unsupported: 'Вашим подключениям нужно другое приложение',
  noConnections: 'Пока нет доступных подключений',
};
