// Settings, in Russian.
import type { settings as english } from '../../en/pages/settings.ts';
import type { Russian } from '../russian.ts';
import { addresses } from './settings/addresses.ts';
import { api } from './settings/api.ts';
import { backups } from './settings/backups.ts';
import { bot } from './settings/bot.ts';
import { certificates } from './settings/certificates.ts';
import { desktop } from './settings/desktop.ts';
import { imports } from './settings/imports.ts';
import { payments } from './settings/payments.ts';
import { security } from './settings/security.ts';
import { subscription } from './settings/subscription.ts';
import { updates } from './settings/updates.ts';
import { webhooks } from './settings/webhooks.ts';

export const settings: Russian<typeof english> = {
  title: 'Настройки',
  nav: 'Разделы настроек',
  saved: 'Настройки сохранены',
  sections: {
    general: 'Общие',
    subscription: 'Подписка',
    addresses: 'Адреса',
    certificates: 'Сертификаты',
    security: 'Безопасность',
    api: 'API',
    webhooks: 'Вебхуки',
    bot: 'Бот Telegram',
    payments: 'Платежи',
    backups: 'Резервные копии',
    import: 'Импорт и экспорт',
    updates: 'Обновления',
    desktop: 'Этот компьютер',
  },
  general: {
    title: 'Общие',
    description: 'Язык, часовой пояс, лимиты и сроки хранения.',
    panelTitle: 'Название панели',
    panelTitleHint: 'Показывается в заголовке окна и на странице входа.',
    language: 'Язык',
    languageHint: 'По умолчанию для браузеров и страниц подписки.',
    timeZone: 'Часовой пояс',
    timeZoneHint: 'Действует для календарных месяцев, дней на графиках и сброса трафика — начиная с этого момента.',
    here: 'В этом браузере',
    hereText: 'Действует только в этом браузере.',
    notices: 'Напоминания об окончании срока',
    noticesText: 'За столько дней до окончания боты и вебхуки получают событие user.expiring.',
    noticeDays: 'Дней до окончания',
    noticeDaysHint:
      'До 5 чисел от 1 до 90, после каждого — Enter или запятая. Напоминания, время которых при изменении уже прошло, не отправляются.',
    cutOff: 'Заблокированные пользователи',
    cutOffText: 'Ядро сразу отклоняет новые соединения, но открытые продолжают работать.',
    restart: 'Закрывать соединения других, чтобы отключить пользователя',
    restartHint:
      'Подключение Hysteria2 или gRPC открывается заново сразу, не чаще раза в 2 минуты: его пользователи подключатся снова, через Hysteria2 — в течение 30 секунд. В остальных случаях, если через два опроса трафик всё ещё идёт, перезапускается ядро, не чаще раза в 10 минут: заново подключатся все пользователи узла.',
    concurrent: 'Блокировать пользователей, подключённых со слишком многих адресов',
    concurrentHint:
      'На 5 минут, если тариф или пользователь ограничивает число одновременных адресов. Пока выключено, отправляется только событие.',
    line: 'Трафик узлов',
    lineText:
      'Узел не может передать больше, чем позволяет его канал. Всё сверх этого показано на его странице и не считается.',
    lineSpeed: 'Скорость самого быстрого канала',
    lineSpeedHint: 'В Гбит/с, от 1 до 100 000.',
    engine: 'Ядро локальных узлов',
    engineText: 'Программа, через которую идёт трафик узлов на этой машине: Xray или v2ray.',
    enginePath: 'Путь к программе',
    enginePathHint:
      'Пусто — Xray из поставки панели, а если его нет, xray или v2ray этой системы. Действует со следующего запуска ядра.',
    kept: 'Сроки хранения записей',
    keptText: 'Более старые записи удаляются автоматически.',
    events: 'События, дней',
    eventsHint: 'Бот, который был отключён дольше, должен прочитать всё заново.',
    audit: 'Журнал действий, дней',
  },
  subscription,
  addresses,
  api,
  backups,
  imports,
  certificates,
  desktop,
  security,
  updates,
  webhooks,
  bot,
  payments,
};
