// Settings of the desktop application, in Russian.
import type { desktop as english } from '../../../en/pages/settings/desktop.ts';
import type { Russian } from '../../russian.ts';

export const desktop: Russian<typeof english> = {
  title: 'На этом компьютере',
  description: 'Как ведёт себя приложение. Пользователей и ботов это не касается.',
  closeToTray: 'Продолжать работу, когда окно закрыто',
  closeToTrayHint: 'API и ссылки подписок отвечают по-прежнему, окно возвращает значок в области уведомлений.',
  startAtLogin: 'Запускать при входе в систему',
  startAtLoginHint: 'Без окна: панель работает, её значок — в области уведомлений.',
  noLoginItems: 'В этой системе нет общего списка автозапуска. Добавьте Gatehouse в автозапуск своего рабочего стола.',
  staySignedIn: 'Не выходить на этом компьютере',
  staySignedInHint:
    'Сеанс хранится в системном хранилище паролей и продолжается после перезапуска, пока не истечёт. Там, где нужны пароль и код, их всё равно придётся ввести.',
  notKept: 'Хранилище паролей не сохранило сеанс. Его состояние — в разделе «Безопасность».',
  notifications: 'Системные уведомления',
  notificationsHint: 'Когда узел перестал отвечать, у пользователя кончился трафик или не удалась резервная копия.',
  versions: 'Версии',
};
