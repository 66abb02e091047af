// What a user's client shows in place of a connection while there is none, and the page of the subscription, in Russian.
import type { subscription as english } from '../../en/host/subscription.ts';
import type { Russian } from '../russian.ts';

export const subscription: Russian<typeof english> = {
  expired: 'Срок истёк {{day}}',
  limited: 'Трафик израсходован',
  limitedUntil: 'Трафик израсходован, обновится {{day}}',
  disabled: 'Доступ отключён',
  unsupported: 'Вашим подключениям нужно другое приложение',
  noConnections: 'Пока нет доступных подключений',
  page: {
    state: {
      active: 'Активна',
      on_hold: 'Готова',
      limited: 'Трафик израсходован',
      expired: 'Срок истёк',
      disabled: 'Отключена',
    },
    todo: {
      refresh: 'Не подключается? Обновите подписку в приложении, выберите другой сервер, затем попробуйте другую сеть.',
      wait: 'Здесь ничего делать не нужно: обновите подписку в приложении позже.',
      traffic:
        'Чтобы получить больше трафика, напишите тому, кто дал вам ссылку. Приложение и ссылка останутся прежними.',
      ask: 'Чтобы продолжить, напишите тому, кто дал вам ссылку. Приложение и ссылка останутся прежними.',
    },
    account: 'Ваш доступ',
    traffic: 'Трафик',
    used: 'Израсходовано {{used}}',
    usedOf: '{{used}} из {{total}}',
    left: 'Осталось {{left}}',
    unlimited: 'Без ограничений',
    resets: 'Обновится {{day}}',
    term: 'Действует до',
    startsLater: 'Начнётся с первого подключения',
    never: 'Бессрочно',
    days_one: 'Остался {{count}} день',
    days_few: 'Осталось {{count}} дня',
    days_many: 'Осталось {{count}} дней',
    days_other: 'Осталось {{count}} дня',
    devices: 'Устройства',
    upTo_one: '{{count}} устройство',
    upTo_few: 'До {{count}} устройств',
    upTo_many: 'До {{count}} устройств',
    upTo_other: 'До {{count}} устройств',
    connect: 'Подключение',
    steps:
      'Установите одно из приложений и добавьте в него ссылку одним нажатием. Подойдёт любое; первое — самое простое.',
    device: 'Ваше устройство',
    tvHint:
      'Откройте эту страницу в браузере телевизора или отсканируйте код приложением на телефоне и отправьте ссылку на телевизор.',
    add: 'Добавить',
    addTo: 'Добавить в {{app}}',
    install: 'Установить',
    installTo: 'Установить {{app}}',
    link: 'Ваша ссылка',
    copy: 'Скопировать ссылку',
    copied: 'Скопировано. Вставьте ссылку в приложение.',
    qr: 'QR-код вашей ссылки',
    secret: 'Любой, у кого есть эта ссылка, может пользоваться вашим доступом: не передавайте её.',
    support: 'Написать в поддержку',
  },
};
